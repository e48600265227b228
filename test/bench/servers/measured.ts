/** The child's side of a server that is measured: it is started, asked for its CPU time, and stopped by messages. */

/** From the benchmark to a server. */
export type Command =
  | { readonly kind: 'start'; readonly options: unknown }
  | { readonly kind: 'cpu' }
  | { readonly kind: 'stop' };

/** From a server to the benchmark: one answer to each command. */
export type Answer =
  | { readonly kind: 'port'; readonly port: number }
  /** Microseconds of user and system time so far. */
  | { readonly kind: 'cpu'; readonly microseconds: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'error'; readonly message: string };

/** Makes this process a server that is measured. */
export function serveMeasured<Options>(
  start: (options: Options) => Promise<{ readonly port: number; stop(): Promise<void> }>,
): void {
  let stop = async () => {};
  const answer = async (command: Command): Promise<Answer> => {
    switch (command.kind) {
      case 'start': {
        const server = await start(command.options as Options);
        stop = () => server.stop();
        return { kind: 'port', port: server.port };
      }
      case 'cpu': {
        const { user, system } = process.cpuUsage();
        return { kind: 'cpu', microseconds: user + system };
      }
      case 'stop':
        await stop();
        return { kind: 'stopped' };
    }
  };
  process.on('message', (command: Command) => {
    answer(command)
      .catch((error: Error): Answer => ({ kind: 'error', message: error.stack ?? error.message }))
      .then((message) =>
        process.send!(message, () => {
          if (command.kind === 'stop') process.disconnect();
        }),
      );
  });
  // The benchmark is gone: nothing must survive it.
  process.on('disconnect', () => process.exit());
}

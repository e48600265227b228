/** Lines marked `-` and `+`, in colours. */
export function Difference({ text }: { readonly text: string }) {
  let position = 0;
  return (
    <pre className="rule difference">
      {text.split('\n').map((line) => {
        position += 1;
        return (
          <span key={position} className={LINES[line[0] ?? '']}>
            {line}
            {'\n'}
          </span>
        );
      })}
    </pre>
  );
}

const LINES: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed' };

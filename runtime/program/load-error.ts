/** A generated file cannot be loaded: it was edited wrongly, or it is our defect. */
export class LoadError extends Error {
  readonly file: string;

  constructor(file: string, reason: string, cause?: unknown) {
    super(`${file}: ${reason}`, { cause });
    this.file = file;
  }
}

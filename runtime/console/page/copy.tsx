/** A button that copies a text. */
import { type ReactNode, useEffect, useState } from 'react';

/** Copies a text, and says so for three seconds. @param text makes or loads it; undefined while there is none */
export function CopyButton({
  text,
  children,
}: {
  readonly text: (() => string | Promise<string>) | undefined;
  readonly children: ReactNode;
}) {
  const [outcome, setOutcome] = useState<string>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), 3000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    try {
      await copyText(await text!());
      setOutcome('Copied');
    } catch {
      setOutcome('Not copied');
    }
  };
  return (
    <button type="button" aria-live="polite" onClick={copy} disabled={text === undefined}>
      {outcome ?? children}
    </button>
  );
}

/** Browsers give a clipboard to pages of https and of this computer only; from others they copy what is selected. */
async function copyText(text: string): Promise<void> {
  if ('clipboard' in navigator) return navigator.clipboard.writeText(text);
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!isCopied) throw new Error('the browser does not copy');
}

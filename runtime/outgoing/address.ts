/** Addresses as the configuration and the metadata write them. */

/** Whether a text is an address that can be called: http or https, without credentials, which belong into headers. */
export function isCallable(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/** What `node:url` does with a host name, said with the browser's own URL; empty where it is none. */
export function domainToASCII(domain: string): string {
  return URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : ""
}

const FAILED_LOOKUP = /failed to lookup address information|DNS lookup failed/

/**
 * Lines of wrangler's log without what workerd says of a host without an address, and the stack below it. The event
 * or the answer that the look-up was for tells of it.
 */
export function withoutFailedLookups(): (line: string) => boolean {
  let isLeftOut = false
  return (line) => {
    const isBelow = line.trim() === "" || line.startsWith("  stack: ")
    isLeftOut = FAILED_LOOKUP.test(line) || (isLeftOut && isBelow)
    return !isLeftOut
  }
}

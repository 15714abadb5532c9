const LOOK_EVERY_MS = 500

/**
 * Ends the process as SIGTERM does when `npm run <script>` was told to end: npm passes the signal to its
 * shell alone, and the program would go on without them.
 */
export function endWithNpm(script: string): void {
  if (process.env.npm_lifecycle_event !== script) return
  const shell = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    process.kill(process.pid, "SIGTERM")
  }, LOOK_EVERY_MS)
  timer.unref()
}

const LOOK_EVERY_MS = 500

/**
 * Ends the process by SIGTERM once `npm run <script>` has ended. npm passes a signal to its shell alone, so
 * the program would go on alone.
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

import { writeFileSync } from "node:fs"

/** Profiles the service through the inspector. Answers with a function that writes the file. */
export async function startProfile(port: number) {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    id: string
    webSocketDebuggerUrl: string
  }[]
  const target = targets.find(({ id }) => id.includes("edgepost"))
  if (!target) throw new Error("The inspector does not know the service")
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }))
  let calls = 0
  const send = (method: string, params: object = {}) =>
    new Promise<{ profile?: unknown }>((resolve) => {
      const id = ++calls
      socket.addEventListener("message", function listen({ data }) {
        const answer = JSON.parse(String(data))
        if (answer.id !== id) return
        socket.removeEventListener("message", listen)
        resolve(answer.result)
      })
      socket.send(JSON.stringify({ id, method, params }))
    })
  await send("Profiler.enable")
  await send("Profiler.setSamplingInterval", { interval: 200 })
  await send("Profiler.start")
  return async (name: string) => {
    const { profile } = await send("Profiler.stop")
    socket.close()
    const file = `${name.replace(/\W+/g, "-")}.cpuprofile`
    writeFileSync(file, JSON.stringify(profile))
    return file
  }
}

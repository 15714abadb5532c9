/** A connection to the inspector of the service's isolate. */
export async function createInspector(port: number) {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    id: string
    webSocketDebuggerUrl: string
  }[]
  const target = targets.find(({ id }) => id.includes("edgepost"))
  if (!target) throw new Error("The inspector does not know the service")
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }))
  let calls = 0
  return {
    send: <Answer>(method: string, params: object = {}) =>
      new Promise<Answer>((resolve) => {
        const id = ++calls
        socket.addEventListener("message", function listen({ data }) {
          const answer = JSON.parse(String(data))
          if (answer.id !== id) return
          socket.removeEventListener("message", listen)
          resolve(answer.result)
        })
        socket.send(JSON.stringify({ id, method, params }))
      }),
    close: () => socket.close(),
  }
}

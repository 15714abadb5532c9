import type { Change, Reset } from "./stream.ts"

export type Frame = { kind: "connected" } | { kind: "event"; event: Change | Reset }

/** Reads server-sent events (HTML standard, section 9.2) from the pieces of a body. */
export function createFrameReader() {
  const decoder = new TextDecoder()
  let rest = ""
  return {
    read(bytes: Uint8Array): Frame[] {
      const frames = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n\r?\n/)
      rest = frames.pop() ?? ""
      return frames.flatMap((text) => toFrame(text) ?? [])
    },
  }
}

function toFrame(text: string): Frame | null {
  if (text === ": connected") return { kind: "connected" }
  const fields = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const [, name = "", value = ""] = /^(\w*): ?(.*)$/.exec(line) ?? []
    const before = name === "data" ? fields.get(name) : undefined
    fields.set(name, before === undefined ? value : `${before}\n${value}`)
  }
  const sequence = Number(fields.get("id"))
  if (fields.get("event") === "reset") return { kind: "event", event: { type: "reset", sequence } }
  if (fields.get("event") !== "change") return null
  return { kind: "event", event: { ...JSON.parse(fields.get("data") ?? ""), sequence } }
}

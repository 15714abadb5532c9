import { expect, it } from "vitest"
import { type Attributes, readHtml, readHtmlInTurns } from "../../src/lib/html-tokens.ts"

function createRecorder() {
  const seen: unknown[] = []
  return {
    seen,
    reader: {
      attributes: new Set(["title"]),
      open: (tag: string, attributes: Attributes) => void seen.push(tag, [...attributes]),
      close: (tag: string, at: number) => void seen.push(tag, at),
      text: (text: string) => void seen.push(text),
    },
  }
}

it("reads a large html in turns as it reads it at once", async () => {
  const unit = `<p title="a &amp; b&nbsp;" id='x'>caf&eacute; <!-- c --><script>1 < 2</script>&notit;</p>`
  const html = unit.repeat(20_000)
  const [once, inTurns] = [createRecorder(), createRecorder()]
  readHtml(html, once.reader)
  await readHtmlInTurns(html, inTurns.reader)
  expect(
    Buffer.from(JSON.stringify(inTurns.seen)).equals(Buffer.from(JSON.stringify(once.seen))),
  ).toBe(true)
})

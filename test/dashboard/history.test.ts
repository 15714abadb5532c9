import { describe, expect, it } from "vitest"
import {
  changed,
  type History,
  historyOf,
  redone,
  undone,
} from "../../src/dashboard/pages/blocks/canvas/history.ts"

const AT = 1_000_000

/** Changes one after the other: a value, its step, and the milliseconds since the one before. */
function write(...steps: (readonly [value: string, step?: string | undefined, after?: number])[]) {
  let at = AT
  return steps.reduce<History<string>>((history, [value, step, after = 0]) => {
    at += after
    return changed(history, () => value, step, at)
  }, historyOf("start"))
}

describe("the history of a message", () => {
  it("goes back over changes, and forward again", () => {
    const history = write(["one"], ["two"])
    const back = undone(undone(history))
    expect(back.present).toBe("start")
    expect(redone(back).present).toBe("one")
    expect(redone(redone(back)).present).toBe("two")
  })

  it("keeps what is there where nothing can be undone or redone", () => {
    expect(undone(historyOf("start")).present).toBe("start")
    expect(redone(write(["one"])).present).toBe("one")
  })

  it("undoes the letters of one field together", () => {
    const history = write(["H", "text"], ["He", "text", 200], ["Hey", "text", 200])
    expect(undone(history).present).toBe("start")
  })

  it("makes no step of a change that changes nothing", () => {
    const history = write(["one"], ["one", "again", 5_000])
    expect(undone(history).present).toBe("start")
  })

  it("undoes letters after a pause, and those of another field, by themselves", () => {
    expect(undone(write(["H", "text"], ["He", "text", 1_500])).present).toBe("H")
    expect(undone(write(["H", "text"], ["He", "label", 200])).present).toBe("H")
    expect(undone(write(["H"], ["He", undefined, 200])).present).toBe("H")
  })

  it("forgets what was undone once something else is written", () => {
    const history = changed(undone(write(["one"], ["two"])), () => "three", undefined, AT)
    expect(redone(history).present).toBe("three")
    expect(undone(history).present).toBe("one")
  })

  it("starts a new step after an undo", () => {
    const back = undone(write(["H", "text"], ["Hi", "label", 100]))
    expect(undone(changed(back, () => "Ho", "text", AT + 200)).present).toBe("H")
  })
})

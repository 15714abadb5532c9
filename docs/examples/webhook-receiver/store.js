import { readFileSync, renameSync, writeFileSync } from "node:fs"

/**
 * What the receiver has done, in a file that is replaced at once. A database does the same with a
 * table of event ids and one row for the sequence, in the transaction of your own work.
 */
export function openStore(file) {
  const { after, handled } = read(file)
  const seen = new Set(handled)
  let sequence = after

  function save() {
    const next = `${file}.next`
    writeFileSync(next, JSON.stringify({ after: sequence, handled: [...seen] }))
    renameSync(next, file)
  }

  return {
    /** Every event up to this sequence is handled. */
    get after() {
      return sequence
    },
    has: (id) => seen.has(id),
    add(id) {
      seen.add(id)
      save()
    },
    /** Ids up to the sequence are no longer needed: such an event is not read again. */
    moveTo(after, ids) {
      sequence = after
      for (const id of ids) seen.delete(id)
      save()
    },
  }
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch (error) {
    if (error.code !== "ENOENT") throw error
    return { after: 0, handled: [] }
  }
}

const REASON = "The run was due before the restore, and may have gone on since."

/** For the command line, after a restore: due runs wait until somebody resumes their sequence. */
export const holdDueRuns = (now: number) => `
  update sequence_runs set state = 'held', held_reason = '${REASON}', due_at = null, visit = visit + 1
  where due_at <= ${now}`

/** For the command line: how many of them wait. */
export const COUNT_HELD_RUNS = `
  select count(*) from sequence_runs where state = 'held' and held_reason = '${REASON}'`

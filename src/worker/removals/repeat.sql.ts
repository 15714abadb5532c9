/** For the command line: asks for a repeat of what was removed since `restoredTo`. */
export const askRepeat = (now: number, restoredTo: number) => `
  delete from repeated_erasures;
  delete from removal_repeats;
  insert into removal_repeats (id, requested_at, restored_to) values (1, ${now}, ${restoredTo})`

/** For the command line: how far the repeat is. */
export const SELECT_REPEAT = `
  select keys, members, teams, addresses, finished_at is not null as isFinished,
    (select count(*) from erasures) as waiting
  from removal_repeats`

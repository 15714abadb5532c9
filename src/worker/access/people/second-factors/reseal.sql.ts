/** For the command line: requests a rotation of the second factors. */
export const askFactorRotation = (now: number) =>
  `insert into factor_rotations (id, requested_at) values (1, ${now})
   on conflict do update set requested_at = excluded.requested_at, second_factor_id = ''`

/** For the command line: with how many keys the second factors are encrypted, and how many they are. */
export const COUNT_FACTOR_KEYS = `
  select count(distinct substr(secret, 1, instr(substr(secret, 5), '$') + 4)) as keys,
    count(*) as secrets
  from second_factors`

/** For the command line: requests a rotation. One that is under way starts over. */
export const askRotation = (now: number) =>
  `insert into key_rotations (id, requested_at) values (1, ${now})
   on conflict do update set requested_at = excluded.requested_at, team_id = '', webhook_id = ''`

/** For the command line: the number of secrets that each key has sealed. */
export const COUNT_BY_KEY = `
  select substr(secret, 1, instr(secret, ':') - 1) as key, count(*) as secrets
  from (
    select secret from webhooks
    union all select previous_secret from webhooks where previous_secret is not null
    union all select turnstile_secret from forms where turnstile_secret is not null
  ) group by 1 order by 1`

const CONTACTS_A_STATEMENT = 20_000
/** Of ten contacts, three have the plan that a segment can ask for. */
export const PRO_OF_TEN = 3
export const SUBSCRIBED_OF_HUNDRED = 97

const IS_SUBSCRIBED = `i % 100 < ${SUBSCRIBED_OF_HUNDRED}`

const pick = (values: readonly string[], of: string) =>
  `json_extract('${JSON.stringify(values)}', '$[' || ((${of}) % ${values.length}) || ']')`

const FIRST_NAMES = ["Ada", "Ben", "Chi", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "June"]
const LAST_NAMES = ["Archer", "Baker", "Carter", "Dyer", "Fisher", "Mason", "Turner"]
const CITIES = ["Bergen", "Cork", "Ghent", "Lyon", "Porto"]

/** Contacts of a book, from one number up to another. Three of a hundred have unsubscribed. */
export async function fillBook(
  db: D1Database,
  { teamId, bookId }: { teamId: string; bookId: string },
  { from, to }: { from: number; to: number },
): Promise<void> {
  for (let first = from; first < to; first += CONTACTS_A_STATEMENT) {
    const end = Math.min(first + CONTACTS_A_STATEMENT, to)
    await db
      .prepare(
        `with recursive n (i) as (select cast(?3 as integer) union all select i + 1 from n where i + 1 < ?4),
         c as (select i, ${pick(FIRST_NAMES, "i")} as first, ${pick(LAST_NAMES, "i / 7")} as last from n)
         insert into contacts (team_id, id, book_id, email, first_name, last_name, first_key, last_key,
           properties, subscribed, unsubscribe_reason, unsubscribed_at, created_at, updated_at)
         select ?1, printf('ct_%026d', i), ?2, 'reader-' || i || '@example.com', first, last, lower(first), lower(last),
           json_object('plan', iif(i % 10 < ${PRO_OF_TEN}, 'pro', 'free'), 'city', ${pick(CITIES, "i / 3")}),
           ${IS_SUBSCRIBED}, iif(${IS_SUBSCRIBED}, null, 'link'), iif(${IS_SUBSCRIBED}, null, 0), 0, 0 from c`,
      )
      .bind(teamId, bookId, first, end)
      .run()
  }
  await db
    .prepare(
      `update contact_books set (contact_count, subscribed_count) = (
         select count(*), sum(subscribed) from contacts c where c.team_id = ?1 and c.book_id = ?2)
       where team_id = ?1 and id = ?2`,
    )
    .bind(teamId, bookId)
    .run()
}

import { env, exports } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { importContacts } from "../../../src/worker/contacts/import/import.ts"
import { type Api, BASE_URL } from "../../support/api.ts"
import { interruptedDb } from "../../support/interrupted-db.ts"
import { metered } from "../../support/meter.ts"
import { makeTeam } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

let api: Api
beforeAll(async () => {
  api = (await makeTeam()).api
})

async function makeBook(): Promise<string> {
  const { body } = await api.post("/contact-books", { name: "Import" })
  return body.id
}

const importInto = (book: string, csv: string, more: object = {}) =>
  api.post(`/contact-books/${book}/contacts/import`, { csv, ...more })

// biome-ignore lint/suspicious/noExplicitAny: contacts as the wire shows them
async function contactsOf(book: string): Promise<any[]> {
  const { body } = await api.get(`/contact-books/${book}/contacts?limit=100`)
  return body.data.toReversed()
}

async function countsOf(book: string) {
  const { body } = await api.get(`/contact-books/${book}`)
  return [body.contactCount, body.subscribedCount]
}

const report = { imported: 0, updated: 0, skipped: 0, duplicates: 0, errors: [] }

describe("a dry run", () => {
  const full = {
    properties: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`p${n}`, n])),
  }
  const csv = [
    "email,city,subscribed",
    "new@x.test,Rome,yes",
    "old@x.test,Oslo,no",
    "nobody,,",
    "new@x.test,Paris,yes",
    "full@x.test,Bern,yes",
  ].join("\n")

  async function makeFilledBook() {
    const book = await makeBook()
    await api.post(`/contact-books/${book}/contacts`, { email: "old@x.test" })
    await api.post(`/contact-books/${book}/contacts`, { email: "full@x.test", ...full })
    return book
  }

  it.each([true, false])(
    "says what the import does (updateExisting: %s)",
    async (updateExisting) => {
      const book = await makeFilledBook()
      const dry = await importInto(book, csv, { updateExisting, dryRun: true })
      const real = await importInto(book, csv, { updateExisting })
      expect(dry.status).toBe(200)
      const { subscribed, ...counted } = dry.body
      expect(counted).toEqual(real.body)
      expect(subscribed).toBe(1)
      expect(dry.body).toMatchObject({ imported: 1, duplicates: 1 })
    },
  )

  it("stores nothing, and writes no row", async () => {
    const book = await makeFilledBook()
    const before = [await contactsOf(book), await countsOf(book)]
    const meter = await metered(() => importInto(book, csv, { dryRun: true }))
    expect(meter.rowsWritten).toBe(0)
    expect([await contactsOf(book), await countsOf(book)]).toEqual(before)
  })

  it("of an unknown book, or a bad file, is refused like an import", async () => {
    expect((await importInto("cb_unknown", csv, { dryRun: true })).status).toBe(404)
    expect((await importInto(await makeBook(), "name\nAda", { dryRun: true })).status).toBe(400)
  })
})

describe("a file is read with", () => {
  const a = { email: "a@x.test" }
  const b = { email: "b@x.test" }
  const cases: [name: string, csv: string, contacts: object[]][] = [
    ["one column", "email\na@x.test\nb@x.test\n", [a, b]],
    ["no line end after the last row", "email\na@x.test\nb@x.test", [a, b]],
    ["CRLF", "email\r\na@x.test\r\nb@x.test\r\n", [a, b]],
    ["a lone CR as line end", "email\ra@x.test\rb@x.test\r", [a, b]],
    ["mixed line ends", "email\r\na@x.test\nb@x.test\r\n", [a, b]],
    ["a byte order mark", "\uFEFFemail\na@x.test", [a]],
    ["a byte order mark before a quote", '\uFEFF"email"\na@x.test', [a]],
    ["only a header", "email,first_name\n", []],
    ["blank lines", "\n\nemail\n\na@x.test\n\n\nb@x.test\n\n", [a, b]],
    ["lines of spaces", "email\n   \na@x.test\n", [a]],
    ["rows of empty cells", "email,city\n,\na@x.test,\n,,,\n", [a]],
    ["commas at the ends of rows", "email,,\na@x.test,,,\n", [a]],
    ["quotes around everything", '"email"\n"a@x.test"\n', [a]],
    [
      "a comma in quotes",
      'email,city\na@x.test,"Paris, Texas"',
      [{ ...a, properties: { city: "Paris, Texas" } }],
    ],
    [
      "quotes in quotes",
      'email,city\na@x.test,"the ""big"" one"',
      [{ ...a, properties: { city: 'the "big" one' } }],
    ],
    [
      "a line end in quotes",
      'email,note\na@x.test,"one\ntwo"\nb@x.test,x',
      [
        { ...a, properties: { note: "one\ntwo" } },
        { ...b, properties: { note: "x" } },
      ],
    ],
    ["an empty text in quotes", 'email,city\na@x.test,""', [{ ...a, properties: {} }]],
    [
      "spaces around cells",
      'email , city\n a@x.test ,  Rome \nb@x.test, "Oslo" ',
      [
        { ...a, properties: { city: "Rome" } },
        { ...b, properties: { city: "Oslo" } },
      ],
    ],
    ["email_address", "email_address\na@x.test", [a]],
    ["e-mail", "e-mail\na@x.test", [a]],
    ["a header in capitals", "EMAIL,First_Name\na@x.test,Ada", [{ ...a, firstName: "Ada" }]],
    [
      "names",
      "first_name,last_name,email\nAda,Byron,a@x.test",
      [{ ...a, firstName: "Ada", lastName: "Byron", properties: {} }],
    ],
    [
      "names without underscores",
      "firstname,LastName,email\nAda,Byron,a@x.test",
      [{ ...a, firstName: "Ada", lastName: "Byron" }],
    ],
    ["an empty name", "email,first_name\na@x.test,", [{ ...a, firstName: null }]],
    [
      "other columns as properties, as they are written",
      "email,City,Plan Name\na@x.test,Rome,Pro",
      [{ ...a, properties: { City: "Rome", "Plan Name": "Pro" } }],
    ],
    [
      "numbers and booleans as texts",
      "email,age,vip\na@x.test,042,true",
      [{ ...a, properties: { age: "042", vip: "true" } }],
    ],
    [
      "a short row",
      "email,city,plan\na@x.test\nb@x.test,Rome",
      [
        { ...a, properties: {} },
        { ...b, properties: { city: "Rome" } },
      ],
    ],
    [
      "formulas, as data",
      "email,note\na@x.test,=1+1\nb@x.test,@SUM(A1)",
      [
        { ...a, properties: { note: "=1+1" } },
        { ...b, properties: { note: "@SUM(A1)" } },
      ],
    ],
    ["a plus and a minus", "email,n\na@x.test,-1\nb@x.test,+1", [a, b]],
    ["an address in capitals", "email\nA@X.TEST", [a]],
    [
      "an address of another script",
      "email\na@bücher.example",
      [{ email: "a@xn--bcher-kva.example" }],
    ],
    ["emoji and accents", "email,first_name\na@x.test,Zoë 👩‍🚀", [{ ...a, firstName: "Zoë 👩‍🚀" }]],
    ["a semicolon in a cell", "email,note\na@x.test,x;y", [{ ...a, properties: { note: "x;y" } }]],
    ["a tab in a cell", "email,note\na@x.test,x\ty", [{ ...a, properties: { note: "x\ty" } }]],
    [
      "a property with a prototype's name",
      "email,constructor\na@x.test,x",
      [{ ...a, properties: { constructor: "x" } }],
    ],
    [
      "a backslash, which escapes nothing",
      'email,note\na@x.test,"x\\"\nb@x.test,y',
      [
        { ...a, properties: { note: "x\\" } },
        { ...b, properties: { note: "y" } },
      ],
    ],
    [
      "consent in every spelling",
      "email,subscribed\n1@x.test,TRUE\n2@x.test,1\n3@x.test,Yes\n4@x.test,y\n5@x.test,",
      ["1", "2", "3", "4", "5"].map((n) => ({ email: `${n}@x.test`, subscribed: true })),
    ],
    [
      "refusal in every spelling",
      "email,subscribed\n1@x.test,FALSE\n2@x.test,0\n3@x.test,No\n4@x.test,n",
      ["1", "2", "3", "4"].map((n) => ({
        email: `${n}@x.test`,
        subscribed: false,
        unsubscribeReason: "import",
      })),
    ],
  ]
  it.each(cases)("%s", async (_, csv, contacts) => {
    const book = await makeBook()
    const { status, body } = await importInto(book, csv)
    expect([status, body]).toEqual([200, { ...report, imported: contacts.length }])
    const stored = await contactsOf(book)
    expect(stored).toMatchObject(contacts)
    const subscribed = stored.filter((contact) => contact.subscribed).length
    expect(await countsOf(book)).toEqual([contacts.length, subscribed])
  })
})

describe("a file is refused as a whole for", () => {
  const rows = (count: number) => Array.from({ length: count }, (_, i) => `a${i}@x.test`).join("\n")
  const cases: [name: string, csv: string, message: RegExp, status?: number][] = [
    ["no content", "", /no column 'email'/],
    ["only blank lines", "\n\n", /no column 'email'/],
    ["no email column", "name,city\nAda,Rome", /no column 'email'/],
    ["no header", "a@x.test,Ada\nb@x.test,Bob", /no column 'email'/],
    ["semicolons", "email;first_name\na@x.test;Ada", /separated by commas/],
    ["tabs", "email\tfirst_name\na@x.test\tAda", /separated by commas/],
    ["a repeated column", "email,city,city\na@x.test,Rome,Oslo", /'city' is repeated/],
    ["a column repeated in another case", "email,city,City\na@x.test,R,O", /'City' is repeated/],
    ["two spellings of the address", "email,e-mail\na@x.test,b@x.test", /'e-mail' is repeated/],
    ["a column without a name", "email,,city\na@x.test,x,y", /no name/],
    ["a name of 65 characters", `email,${"p".repeat(65)}\na@x.test,x`, /over 64/],
    ["a column named __proto__", "email,__proto__\na@x.test,x", /may not be named "__proto__"/],
    ["a NUL in a name", "email,a\0b\na@x.test,x", /UTF-8|may not be named/],
    [
      "51 properties",
      `email,${Array.from({ length: 51 }, (_, i) => `p${i}`)}\na@x.test`,
      /most 50/,
    ],
    [
      "a quote that is never closed",
      'email,n\na@x.test,"x\nb@x.test,y',
      /line 3: Quote Not Closed/,
    ],
    ["a quote in an open cell", 'email,n\na@x.test,x"y', /line 2: Invalid Opening Quote/],
    ["text behind a quote", 'email,n\na@x.test,"x"y', /line 2: Invalid Closing Quote/],
    ["what was not UTF-8", "email,n\na@x.test,M\uFFFDnchen", /UTF-8/],
    ["UTF-16", "e\0m\0a\0i\0l\0\n\0", /UTF-8/],
    ["10,001 rows", `email\n${rows(10_001)}`, /At most 10000 rows/],
    ["2 MiB of letters of two bytes", `email,n\na@x.test,${"é".repeat(2 ** 20)}`, /2097152/, 413],
    ["2 MiB and a byte", `email\n${"x".repeat(2 * 1024 * 1024 - 5)}`, /2097152/, 413],
  ]
  it.each(cases)("%s", async (_, csv, message, expected = 400) => {
    const book = await makeBook()
    const { status, body } = await importInto(book, csv)
    expect(status).toBe(expected)
    expect(body.error.code).toBe(expected === 413 ? "payload_too_large" : "validation_error")
    expect(body.error.message).toMatch(message)
    expect(await countsOf(book)).toEqual([0, 0])
  })

  it("bytes that are not UTF-8", async () => {
    const book = await makeBook()
    const response = await exports.default.fetch(
      new Request(`${BASE_URL}/api/v1/contact-books/${book}/contacts/import`, {
        method: "POST",
        headers: { authorization: `Bearer ${api.key}` },
        body: Buffer.from('{"csv":"email,n\\na@x.test,M\xfcnchen"}', "latin1"),
      }),
    )
    expect(response.status).toBe(400)
    expect(await response.text()).toContain("UTF-8")
  })
})

describe("a row is left out for", () => {
  const cases: [name: string, csv: string, errors: object[], imported?: number][] = [
    [
      "no address",
      "email,n\na@x.test,1\n,2",
      [{ line: 3, email: null, message: "No email address" }],
    ],
    ["no address in it", "email\na@x.test\nnope", [{ line: 3, email: "nope" }]],
    ["an address with a name", "email\na@x.test\nAda <b@x.test>", [{ line: 3 }]],
    ["two addresses", 'email\na@x.test\n"b@x.test,c@x.test"', [{ line: 3 }]],
    ["a long row", "email,n\na@x.test,1\nb@x.test,1,2", [{ line: 3, email: "b@x.test" }]],
    ["a consent of another word", "email,subscribed\na@x.test,\nb@x.test,maybe", [{ line: 3 }]],
    [
      "a name of 201 characters",
      `email,first_name\na@x.test,x\nb@x.test,${"n".repeat(201)}`,
      [{ line: 3 }],
    ],
    [
      "a property of 2,001 characters",
      `email,p\na@x.test,x\nb@x.test,${"n".repeat(2001)}`,
      [{ line: 3 }],
    ],
    ["a line break in a name", 'email,first_name\na@x.test,x\nb@x.test,"n\nm"', [{ line: 3 }]],
    ["a bell in a property", "email,p\na@x.test,x\nb@x.test,n\u0007", [{ line: 3 }]],
    ["its address, below blank lines", "email\n\na@x.test\n\n\nnope\n", [{ line: 6 }]],
    ["its address, below CRLF", "email\r\na@x.test\r\n\r\nnope\r\n", [{ line: 4 }]],
    [
      "its address, below a cell of three lines",
      'email,n\na@x.test,"1\n2\n3"\nnope,x',
      [{ line: 5 }],
    ],
    [
      "its address, below such a cell with CRLF",
      'email,n\r\na@x.test,"1\r\n2\r\n3"\r\nnope,x',
      [{ line: 5 }],
    ],
    [
      "its address, in a row of three lines",
      'email,n\na@x.test,x\nnope,"1\n2\n3"\nno,y',
      [{ line: 3 }, { line: 6 }],
    ],
    [
      "its address, below a header of two lines",
      'email,"two\nlines"\na@x.test,x\nnope,y',
      [{ line: 4 }],
    ],
  ]
  it.each(cases)("%s", async (_, csv, errors) => {
    const book = await makeBook()
    const { status, body } = await importInto(book, csv)
    expect(status).toBe(200)
    expect(body).toMatchObject({ imported: 1, errors })
    expect((await contactsOf(book)).map(({ email }) => email)).toEqual(["a@x.test"])
  })

  it("any reason, and the first hundred of the file are reported", async () => {
    const book = await makeBook()
    const csv = `email,subscribed\na@x.test,no\na@x.test,yes\n${"nope\n".repeat(150)}`
    const { body } = await importInto(book, csv)
    expect(body.imported).toBe(1)
    expect(body.errors.map(({ line }: { line: number }) => line)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 3),
    )
  })
})

describe("an import into a book that has contacts", () => {
  it.each([
    ["no", "yes", 3],
    ["yes", "no", 3],
    ["no", "no", 0],
    ["no", "", 3],
    ["0", "1", 3],
  ])("lets a no stand (%s, then %s)", async (first, second, line) => {
    const book = await makeBook()
    const csv = `email,subscribed\na@x.test,${first}\nA@x.test,${second}`
    const { body } = await importInto(book, csv)
    expect(body).toMatchObject({ imported: 1, duplicates: 1 })
    const [contact] = await contactsOf(book)
    expect(contact).toMatchObject({ subscribed: false, unsubscribeReason: "import" })
    expect(
      body.errors.map((one: { line: number; email: string }) => [one.line, one.email]),
    ).toEqual(line ? [[line, "a@x.test"]] : [])
    expect(await countsOf(book)).toEqual([1, 0])
  })

  it("lets a no stand that is in a row left out for another reason", async () => {
    const book = await makeBook()
    const long = "x".repeat(1_000)
    const csv = `email,first_name,subscribed\na@x.test,${long},no\na@x.test,Ada,yes`
    await importInto(book, csv)
    expect((await contactsOf(book))[0]).toMatchObject({ firstName: "Ada", subscribed: false })
  })

  it("says of a no that contradicts a yes what became of it", async () => {
    const book = await makeBook()
    const names = Array.from({ length: 50 }, (_, i) => `p${i}`)
    await importInto(book, `email,${names}\nfull@x.test,${names}`)
    const both = (email: string, more = "") => `${email},no,${more}\n${email},yes,${more}`
    const csv = `email,subscribed,more\n${both("full@x.test", "1")}\n${both("new@x.test")}`
    const { body } = await importInto(book, csv)
    expect(body.errors.map(({ message }: { message: string }) => message)).toEqual([
      "The contact would have over 50 properties, or over 16 KiB",
      "The rows of this address say both yes and no to mail: it was stored as not subscribed",
    ])
    const again = await importInto(book, "email,subscribed\nfull@x.test,no\nfull@x.test,yes", {
      updateExisting: false,
    })
    expect(again.body).toMatchObject({
      skipped: 1,
      errors: [{ message: expect.stringContaining("an existing one stays as it is") }],
    })
    expect((await contactsOf(book))[0]).toMatchObject({ email: "full@x.test", subscribed: true })
  })

  it("counts the rows that a later one with the same address replaces", async () => {
    const book = await makeBook()
    const csv = "email,city\na@x.test,1\nb@x.test,1\nA@x.test,2\na@x.test,3\na@x.test,4,5"
    const { body } = await importInto(book, csv)
    expect(body).toMatchObject({ imported: 2, duplicates: 2, errors: [{ line: 6 }] })
    const contacts = await contactsOf(book)
    expect(contacts.find(({ email }) => email === "a@x.test").properties).toEqual({ city: "3" })
  })

  it("takes the quotes of an export off addresses", async () => {
    const book = await makeBook()
    await importInto(book, "email,subscribed\n+1555@x.test,yes\n-b@x.test,yes")
    const csv = "email,subscribed\n'+1555@x.test,no\n'-b@x.test,no\n'=c@x.test,yes\n''+d@x.test,yes"
    expect((await importInto(book, csv)).body).toMatchObject({ imported: 2, updated: 2 })
    const contacts = await contactsOf(book)
    expect(contacts.map(({ email, subscribed }) => [email, subscribed])).toEqual([
      ["+1555@x.test", false],
      ["-b@x.test", false],
      ["=c@x.test", true],
      ["'+d@x.test", true],
    ])
  })

  it("is harmless when it is repeated", async () => {
    const book = await makeBook()
    const csv = "email,first_name,subscribed,city\na@x.test,Ada,yes,Rome\nb@x.test,Bob,no,"
    expect((await importInto(book, csv)).body).toEqual({ ...report, imported: 2 })
    const before = await contactsOf(book)
    expect((await importInto(book, csv)).body).toEqual({ ...report, updated: 2 })
    expect(await contactsOf(book)).toEqual(before)
    expect(await countsOf(book)).toEqual([2, 1])
  })

  it("leaves contacts that it does not change alone, whatever columns the file has", async () => {
    const book = await makeBook()
    const topics: string[] = []
    for (const name of ["News", "Offers"]) {
      topics.push((await api.post("/topics", { name })).body.id)
    }
    const [news = "", offers = ""] = topics
    const path = `/contact-books/${book}/contacts`
    await api.post(path, {
      email: "a@x.test",
      properties: { city: "Rome", plan: "Pro" },
      topics: { [offers]: true, [news]: false },
    })
    const before = await contactsOf(book)
    for (const csv of [
      "email,city\na@x.test,Rome",
      "email,plan,city\na@x.test,Pro,Rome",
      "email,city,seats\na@x.test,Rome,",
      `email,topics.${offers}\na@x.test,true`,
      `email,topics.${news},topics.${offers}\na@x.test,false,true`,
    ]) {
      expect((await importInto(book, csv)).body).toMatchObject({ updated: 1 })
      expect(await contactsOf(book), csv).toEqual(before)
    }
    await importInto(book, "email,city\na@x.test,Bern")
    const [changed] = await contactsOf(book)
    expect(changed.properties).toEqual({ city: "Bern", plan: "Pro" })
    expect(changed.updatedAt).not.toBe(before[0].updatedAt)
    await importInto(book, `email,topics.${offers}\na@x.test,false`)
    expect((await contactsOf(book))[0].topics).toEqual({ [news]: false, [offers]: false })
  })

  it("changes only what the file has a column for", async () => {
    const book = await makeBook()
    await importInto(book, "email,first_name,last_name,city,plan\na@x.test,Ada,Byron,Rome,Pro")
    await importInto(book, "email,last_name,city\na@x.test,King,")
    const [contact] = await contactsOf(book)
    expect(contact).toMatchObject({ firstName: "Ada", lastName: "King" })
    expect(contact.properties).toEqual({ plan: "Pro" })
    const search = (q: string) => api.get(`/contact-books/${book}/contacts?q=${q}`)
    expect((await search("ada%20king")).body.data).toHaveLength(1)
    expect((await search("byron")).body.data).toHaveLength(0)
  })

  it("leaves out a row with which a contact would have over 50 properties", async () => {
    const book = await makeBook()
    const names = Array.from({ length: 50 }, (_, i) => `p${i}`)
    await importInto(book, `email,${names}\na@x.test,${names}\nb@x.test,1`)
    const csv =
      "email,first_name,more,subscribed\na@x.test,Ada,1,no\nnope\nb@x.test,Bob,1,no\nc@x.test,,1,"
    const { body } = await importInto(book, csv)
    expect(body).toMatchObject({
      imported: 1,
      updated: 1,
      errors: [
        {
          line: 2,
          email: "a@x.test",
          message: "The contact would have over 50 properties, or over 16 KiB",
        },
        { line: 3, email: "nope" },
      ],
    })
    const [full, other] = await contactsOf(book)
    expect(full).toMatchObject({ firstName: null, subscribed: true })
    expect(Object.keys(full.properties)).toEqual(names)
    expect(other).toMatchObject({ firstName: "Bob", properties: { p0: "1", more: "1" } })
    expect(await countsOf(book)).toEqual([3, 2])
    const same = await importInto(book, "email,p1\na@x.test,new")
    expect(same.body).toEqual({ ...report, updated: 1 })
  })

  it("leaves out a row with which a contact would have over 16 KiB of properties", async () => {
    const book = await makeBook()
    const long = "\u00e9".repeat(2_000)
    const names = ["a", "b", "c", "d"]
    const csv = `email,${names}\na@x.test,${names.map(() => long)}`
    expect((await importInto(book, csv)).body).toEqual({ ...report, imported: 1 })
    const more = `email,first_name,e\na@x.test,Ada,${long}\nb@x.test,Bob,${long}`
    expect((await importInto(book, more)).body).toEqual({
      ...report,
      imported: 1,
      errors: [
        {
          line: 2,
          email: "a@x.test",
          message: "The contact would have over 50 properties, or over 16 KiB",
        },
      ],
    })
    const row = `email,${names},e\nc@x.test,${[...names, "e"].map(() => long)}`
    expect((await importInto(book, row)).body.errors).toEqual([
      { line: 2, email: "c@x.test", message: "At most 16 KiB of properties" },
    ])
    expect(await contactsOf(book)).toMatchObject([{ firstName: null }, { firstName: "Bob" }])
  })

  it("changes a contact that has had more properties since before they were bounded", async () => {
    const book = await makeBook()
    await importInto(book, "email,city\na@x.test,Rome")
    const properties = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`p${n}`, "x".repeat(2_000)]),
    )
    await env.DB.prepare("update contacts set properties = ? where book_id = ?")
      .bind(JSON.stringify(properties), book)
      .run()
    await importInto(book, "email,first_name\na@x.test,Ada")
    const [{ id }] = await contactsOf(book)
    await api.patch(`/contact-books/${book}/contacts/${id}`, { lastName: "King" })
    expect(await contactsOf(book)).toMatchObject([
      { firstName: "Ada", lastName: "King", properties },
    ])
  })

  it("leaves it as it is with updateExisting false", async () => {
    const book = await makeBook()
    await importInto(book, "email,city\na@x.test,Rome")
    const { body } = await importInto(
      book,
      "email,city,subscribed\na@x.test,Oslo,no\nb@x.test,X,",
      {
        updateExisting: false,
      },
    )
    expect(body).toEqual({ ...report, imported: 1, skipped: 1 })
    expect((await contactsOf(book))[0]).toMatchObject({
      subscribed: true,
      properties: { city: "Rome" },
    })
    expect(await countsOf(book)).toEqual([2, 2])
  })

  it("may unsubscribe, and never resubscribes", async () => {
    const book = await makeBook()
    await importInto(book, "email,subscribed\na@x.test,yes\nb@x.test,no")
    const [, gone] = await contactsOf(book)
    await importInto(book, "email,subscribed,first_name\na@x.test,no,\nb@x.test,yes,Bob")
    const [left, still] = await contactsOf(book)
    expect(left).toMatchObject({ subscribed: false, unsubscribeReason: "import" })
    expect(left.unsubscribedAt).not.toBeNull()
    expect(still).toMatchObject({
      ...{ firstName: "Bob", subscribed: false },
      unsubscribedAt: gone.unsubscribedAt,
    })
    await importInto(book, "email\na@x.test\nb@x.test")
    expect(await countsOf(book)).toEqual([2, 0])
  })

  it("another team's or unknown book is not found", async () => {
    const other = await makeTeam()
    const book = await makeBook()
    const reply = await other.api.post(`/contact-books/${book}/contacts/import`, {
      csv: "email\na@x.test",
    })
    expect(reply.status).toBe(404)
  })

  it("10,000 rows take a bounded number of statements and are all there", async () => {
    const book = await makeBook()
    const csv = `email,first_name,last_name,city,note\n${Array.from(
      { length: 10_000 },
      (_, i) => `contact${i}@example.com,First${i},Last${i},"City, ${i}",${"n".repeat(100)}`,
    ).join("\n")}`
    const meter = await metered(async () => {
      expect((await importInto(book, csv)).body).toEqual({ ...report, imported: 10_000 })
    })
    expect(meter.roundTrips).toBeLessThanOrEqual(15)
    expect(await countsOf(book)).toEqual([10_000, 10_000])
    expect((await importInto(book, csv)).body).toEqual({ ...report, updated: 10_000 })
    expect(await countsOf(book)).toEqual([10_000, 10_000])
    const found = await api.get(`/contact-books/${book}/contacts?q=first9999`)
    expect(found.body.data).toMatchObject([{ email: "contact9999@example.com" }])
  })
})

it("a file whose book is deleted while it is read answers 404, and counts nothing", async () => {
  const bookId = await makeBook()
  const DB = interruptedDb(/insert into "?contacts/, () => api.delete(`/contact-books/${bookId}`))
  const ctx = createKeyCtx(testWork({ settings: { DB } }).work, sha256Hex(api.key), "full")
  const input = {
    ...{ csv: "email\nada@example.com\n", columns: {}, subscribed: true },
    ...{ updateExisting: false, dryRun: false },
  }
  await expect(importContacts(ctx, bookId, input)).rejects.toThrow("Contact book not found")
})

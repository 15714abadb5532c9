import { describe, expect, it } from "vitest"
import { hasHeader, readRows, toFile } from "../../src/dashboard/pages/contacts/import/csv.ts"
import { decode, detectEncoding } from "../../src/dashboard/pages/contacts/import/decode.ts"
import {
  guess,
  problemOf,
  rewrite,
  topicTarget,
  withoutConsent,
} from "../../src/dashboard/pages/contacts/import/mapping.ts"
import { readAs } from "../../src/dashboard/pages/contacts/import/read-file.ts"
import { csvLine, spreadsheetLine } from "../../src/dashboard/ui/export/csv-line.ts"
import { quoteFormula, unquoteFormula } from "../../src/lib/formula.ts"

const headed = (...header: string[]) => ({ header, rows: [] })
const rowsOf = (text: string) => readRows(text)
const read = (text: string) => {
  const rows = readRows(text)
  return toFile(rows, hasHeader(rows))
}
const targetsOf = (text: string) => guess(read(text)).map(({ target }) => target)

describe("a CSV file in the browser", () => {
  it("is read with quotes, line ends in quotes, and lines of the file", () => {
    const text = '\uFEFFemail,note\r\na@x.test,"one\r\ntwo ""2"""\r\n\r\n b@x.test , x \r\n'
    expect(read(text)).toEqual({
      header: ["email", "note"],
      rows: [
        { line: 2, cells: ["a@x.test", 'one\ntwo "2"'] },
        { line: 5, cells: ["b@x.test", "x"] },
      ],
    })
  })

  it.each([";", "\t", "|"])("may be delimited by %j", (delimiter) => {
    const text = `email${delimiter}city\na@x.test${delimiter}"Paris, Texas"`
    expect(rowsOf(text)[1]).toEqual({ line: 2, cells: ["a@x.test", "Paris, Texas"] })
  })

  it("may have the delimiter of another file in its header and cells", () => {
    const text = '"Name, Vorname, Titel";E-Mail\n"Meier, Hans, Dr.";hans@x.test\n'
    expect(read(text).header).toEqual(["Name, Vorname, Titel", "E-Mail"])
    const amounts = "email;amount\na@x.test;1,5\nb@x.test;2,5\n"
    expect(read(amounts).header).toEqual(["email", "amount"])
  })

  it.each(["sep=;\r\n", '"sep=;"\n'])("may name its delimiter: %j", (first) => {
    expect(rowsOf(`${first}email;first name\na@x.test;Ole`)).toEqual([
      { line: 2, cells: ["email", "first name"] },
      { line: 3, cells: ["a@x.test", "Ole"] },
    ])
  })

  it("may have a title above its header", () => {
    const file = read("Contacts export 27 Nov 2026\n\nEmail,First name\na@x.test,Te\n")
    expect(file).toEqual({
      header: ["Email", "First name"],
      rows: [{ line: 4, cells: ["a@x.test", "Te"] }],
    })
  })

  it("without a header keeps its first row", () => {
    const file = read("a@x.test,Ada\nb@x.test,Bob\n")
    expect(file.header).toEqual(["Column 1", "Column 2"])
    expect(file.rows.map(({ cells }) => cells[0])).toEqual(["a@x.test", "b@x.test"])
    expect(guess(file)[0]?.target).toBe("email")
  })

  it("keeps empty cells, and drops empty rows", () => {
    expect(read("email,a,b\nx@x.test,,\n,,\n").rows).toEqual([
      { line: 2, cells: ["x@x.test", "", ""] },
    ])
  })

  it("with a quote that never closes is refused", () => {
    expect(() => rowsOf('email\n"a@x.test\n')).toThrow("never closed")
  })

  it("of 2 MiB is read", () => {
    const row = `${"x".repeat(50)}@x.test,"a ""quoted"" text"\n`
    const text = `email,note\n${row.repeat(Math.floor((2 * 1024 * 1024) / row.length))}`
    expect(rowsOf(text).length).toBeGreaterThan(20_000)
  })
})

describe("the encoding of a file", () => {
  const TEXT = "email,city\nzoë@x.test,Köln\nülker@x.test,Łódź\n"
  const utf16 = (text: string, isBig = false) => {
    const bytes = Buffer.from(text, "utf16le")
    return new Uint8Array(isBig ? bytes.swap16() : bytes)
  }
  const latin = (text: string) => new Uint8Array(Buffer.from(text, "latin1"))

  it.each([
    ["UTF-8", new TextEncoder().encode(TEXT), "utf-8"],
    ["UTF-16", utf16(`\uFEFF${TEXT}`), "utf-16le"],
    ["UTF-16 of the other end", utf16(`\uFEFF${TEXT}`, true), "utf-16be"],
    ["UTF-16 without a mark", utf16(TEXT), "utf-16le"],
    ["UTF-16 of the other end without a mark", utf16(TEXT, true), "utf-16be"],
  ] as const)("is proven: %s", (_, bytes, encoding) => {
    expect(detectEncoding(bytes)).toEqual({ encoding, isSure: true })
    expect(decode(bytes, encoding).replace("\uFEFF", "")).toBe(TEXT)
  })

  it.each([
    ["Western European", latin("a@x.test,Köln\nb@x.test,Zoë\n"), "windows-1252", "Köln"],
    [
      "Central European",
      // Łódź, Żywiec, Pątnów
      latin("a@x.test,\xa3\xf3d\x9f\nb@x.test,\xafywiec\nc@x.test,P\xb9tn\xf3w\n"),
      "windows-1250",
      "Łódź",
    ],
    [
      "Cyrillic",
      latin("a@x.test,\xcc\xee\xf1\xea\xe2\xe0\nb@x.test,\xd2\xe2\xe5\xf0\xfc\n"),
      "windows-1251",
      "Москва",
    ],
    ["DOS", latin("a@x.test,K\x94ln\nb@x.test,M\x81nchen\n"), "cp850", "München"],
    [
      "Japanese",
      latin("a@x.test,\x82\xa0\x82\xa2\x82\xa4\nb@x.test,\x83e\x83X\x83g\n"),
      "shift_jis",
      "テスト",
    ],
  ] as const)("is guessed, and shown: %s", (_, bytes, encoding, word) => {
    expect(detectEncoding(bytes)).toEqual({ encoding, isSure: false })
    expect(decode(bytes, encoding)).toContain(word)
  })
})

describe("the columns of an import", () => {
  it("are guessed by their names, each field once", () => {
    expect(guess(headed("E-Mail", "First Name", "City", "email", ""))).toEqual([
      { target: "email", name: "E-Mail" },
      { target: "firstName", name: "First Name" },
      { target: "property", name: "City" },
      { target: "property", name: "email" },
      { target: "property", name: "Column 5" },
    ])
  })

  it.each([
    ["First", "firstName"],
    ["last_name", "lastName"],
    ["E-mail Address", "email"],
    ["Vorname", "firstName"],
    ["Prénom", "firstName"],
    ["Cognome", "lastName"],
    ["Фамилия", "lastName"],
    ["メールアドレス", "email"],
    ["Full Name", "fullName"],
    ["Kontakt erwünscht?", "property"],
  ])("are guessed in other words: %s", (name, target) => {
    expect(guess(headed(name))).toMatchObject([{ target }])
  })

  it("are guessed by what stands beside them", () => {
    expect(guess(headed("Vorname", "Name")).map(({ target }) => target)).toEqual([
      "firstName",
      "lastName",
    ])
    expect(guess(headed("Nome", "Cognome")).map(({ target }) => target)).toEqual([
      "firstName",
      "lastName",
    ])
  })

  it("have the address where most addresses are", () => {
    expect(targetsOf("mail,kontakt,other\nyes,a@x.test,\nno,b@x.test,c@x.test\n")).toEqual([
      "consent",
      "email",
      "property",
    ])
  })

  it("without a single value are skipped", () => {
    const names = Array.from({ length: 57 }, (_, index) => `Empty ${index}`)
    const targets = targetsOf(`Email,${names}\na@x.test${",".repeat(57)}\n`)
    expect(new Set(targets.slice(1))).toEqual(new Set(["ignore"]))
  })

  it("of consent ask what each value means, and an unknown one keeps the file back", () => {
    const file = read("email,status\na@x.test,active\nb@x.test,gone\nc@x.test,cancelled\n")
    const mapped = guess(file)
    expect(mapped[1]).toEqual({
      ...{ target: "consent", name: "status" },
      values: [
        { value: "active", count: 1, meaning: "subscribed" },
        { value: "gone", count: 1, meaning: null },
        { value: "cancelled", count: 1, meaning: "unsubscribed" },
      ],
    })
    expect(problemOf(file, mapped)).toBe("Choose what each value of “status” means.")
    expect(problemOf(file, withoutConsent(mapped))).toBeNull()
  })

  it("are refused where the API would refuse them", () => {
    const file = headed("a", "b")
    const email = { target: "email", name: "email" } as const
    const property = (name: string) => ({ target: "property", name }) as const
    expect(problemOf(file, [property("a")])).toBe("Choose the column with the email address.")
    expect(problemOf(file, [email, email])).toBe("Two columns are set to “Address”.")
    expect(problemOf(file, [email, property("a"), property("A ")])).toContain("same name")
    expect(problemOf(file, [email, property(" ")])).toBe("Enter a name for each property.")
    expect(problemOf(file, [email, property("city")])).toBeNull()
    const many = Array.from({ length: 53 }, (_, index) => property(`p${index}`))
    expect(problemOf(file, [email, ...many])).toContain("Skip 3 of the columns")
  })

  it("are written as the API reads them, and lines lead back to the file", () => {
    const file = read(
      'mail;note;secret;town;Name;out\na@x.test;"1\n2";s;Rome;Ada King;\n\nb@x.test;;;;;2024-01-01;extra\n',
    )
    const mapped = guess({ ...file, header: [...file.header.slice(0, 5), "unsubscribed"] }).map(
      (one) => (one.name === "secret" ? { ...one, target: "ignore" as const } : one),
    )
    const { csv, columns, originalLine } = rewrite(file, mapped)
    expect(csv).toBe(
      'email,properties.note,properties.town,first_name,last_name,consent 6\na@x.test,"1\n2",Rome,Ada,King,\nb@x.test,,,,,2024-01-01,extra\n',
    )
    expect(columns).toEqual({ "consent 6": { "": "subscribed", "*": "unsubscribed" } })
    expect([...originalLine]).toEqual([
      [2, 2],
      [4, 5],
    ])
  })

  it("that an export wrote are what they were", () => {
    const text =
      "email,first_name,last_name,subscribed,properties.status,properties.Email,topics.top_1\na@x.test,Ada,King,true,left,x,true\n"
    const file = read(text)
    expect(guess(file).map(({ target, name }) => [target, name])).toEqual([
      ["email", "email"],
      ["firstName", "first_name"],
      ["lastName", "last_name"],
      ["consent", "subscribed"],
      ["property", "status"],
      ["property", "Email"],
      ["topics.top_1", "topics.top_1"],
    ])
    expect(rewrite(file, guess(file)).csv).toBe(text.replace(",subscribed,", ",consent 4,"))
  })

  it("may be choices of a topic, whatever their names", () => {
    const file = read("email,Product news\na@x.test,true\n")
    const [email, news] = guess(file)
    const { csv } = rewrite(file, [email!, { ...news!, target: topicTarget("top_1") }])
    expect(csv).toBe("email,topics.top_1\na@x.test,true\n")
  })
})

/** Who may not be subscribed by a file of another program, until somebody says what its values mean. */
const SAID_NO: Record<string, string[]> = {
  beehiiv: ["bob", "bud"],
  brevo: ["bea"],
  ghost: ["gia"],
  hubspot: ["hana", "hope"],
  kit: ["kay", "kai", "kya", "kei"],
  klaviyo: ["ken", "kip"],
  listmonk: ["liz", "lou"],
  "mailchimp-cleaned": ["cleo"],
  "mailchimp-unsubscribed": ["ann", "ben"],
  outlook: [],
  resend: ["rex"],
  shopify: ["sol"],
  stripe: [],
  "german-names": ["b"],
  "no-header": [],
  "odd-cell": ["b", "c", "d"],
  "quoted-commas-in-header": [],
  "sep-line": [],
  "title-line": [],
  "wahr-falsch": ["b"],
}

it.each(Object.entries(SAID_NO))("the export %s subscribes nobody who left", async (name, left) => {
  const { default: text } = await import(`../exports/${name}.csv?raw`)
  const bytes = new TextEncoder().encode(text)
  const { file } = readAs({ name, bytes, isEncodingSure: true }, detectEncoding(bytes).encoding)
  const mapped = guess(file)
  const emailAt = mapped.findIndex(({ target }) => target === "email")
  expect(emailAt).not.toBe(-1)
  const { header, rows } = toFile(readRows(rewrite(file, mapped).csv), true)
  const isSubscribed = (cells: string[]) =>
    header.every((head, at) => {
      const values = mapped[Number(/^consent (\d+)$/.exec(head)?.[1]) - 1]?.values ?? []
      const own = values.find(({ value }) => value.toLowerCase() === cells[at]?.toLowerCase())
      const said = own ?? values.find(({ value }) => value === "*")
      return values.length === 0 || said?.meaning === "subscribed"
    })
  const people = rows.filter(({ cells }) => cells[0] !== undefined)
  const unsubscribed = people.filter(({ cells }) => !isSubscribed(cells))
  const addressOf = ({ cells }: { cells: string[] }) =>
    cells[header.indexOf("email")]?.split("@")[0] ?? ""
  expect(unsubscribed.map(addressOf)).toEqual(expect.arrayContaining(left))
  expect(people.length).toBe(file.rows.length)
})

describe("an export", () => {
  it("quotes what needs it", () => {
    expect(csvLine(["a", 'b "c"', "d,e", " f", "g\nh", ""])).toBe(
      'a,"b ""c""","d,e"," f","g\nh",\n',
    )
  })

  it("holds no formula, and keeps numbers", () => {
    const cells = ["=1+1", "@a", "+cmd|x", "-1", "+49 30 123", "a=b", "a;=1+1", "a; @b;c"]
    expect(spreadsheetLine(cells)).toBe("'=1+1,'@a,'+cmd|x,-1,+49 30 123,a=b,a;'=1+1,a; '@b;c\n")
  })

  it("is read again as it was", () => {
    const parts = ["=1", "@a", "+x", "+1", ";", "|", "\t", "\n", " ", "a", "'", "''"]
    const texts = parts.flatMap((a) => parts.flatMap((b) => parts.map((c) => a + b + c)))
    for (const text of texts) expect(unquoteFormula(quoteFormula(text))).toBe(text)
  })

  it("and reads two million blanks once", () => {
    const text = `a${"\t".repeat(2_000_000)}'b`
    expect([quoteFormula(text) === text, unquoteFormula(text) === text]).toEqual([true, true])
  })

  it.each(["＝1+1", "＠a", "＋cmd", "－cmd"])(
    "holds no formula of a full-width sign: %s",
    (text) => {
      expect(spreadsheetLine([text, `a;${text}`])).toBe(`'${text},a;'${text}\n`)
    },
  )

  it("holds no formula for a spreadsheet with another delimiter either", () => {
    const parts = ["=1", "@a", "+x", ";", "|", "\t", "\n", '"', " ", ",", "a", "'"]
    const texts = parts.flatMap((a) => parts.flatMap((b) => parts.map((c) => `a${a}${b}${c}=1`)))
    for (const text of texts) {
      for (const delimiter of [";", "|", "\t"]) {
        for (const cell of spreadsheetLine([text, "b"]).split(delimiter)) {
          expect(cell.replace(/^[\s"]*/, ""), JSON.stringify(text)).not.toMatch(/^[=@+]/)
        }
      }
    }
  })
})

import { describe, expect, it } from "vitest"
import { readCsv } from "../../src/dashboard/pages/contacts/csv.ts"
import {
  guess,
  overlookedConsent,
  problemOf,
  rewrite,
} from "../../src/dashboard/pages/contacts/mapping.ts"
import { csvLine, spreadsheetLine } from "../../src/dashboard/ui/csv-line.ts"

const headed = (...header: string[]) => ({ header, rows: [] })
const rowsOf = (text: string) => readCsv(text).rows

describe("a CSV file in the browser", () => {
  it("is read with quotes, line ends in quotes, and lines of the file", () => {
    const text = '\uFEFFemail,note\r\na@x.test,"one\r\ntwo ""2"""\r\n\r\n b@x.test , x \r\n'
    expect(readCsv(text)).toEqual({
      header: ["email", "note"],
      rows: [
        { line: 2, cells: ["a@x.test", 'one\ntwo "2"'] },
        { line: 5, cells: ["b@x.test", "x"] },
      ],
    })
  })

  it.each([";", "\t", "|"])("may be delimited by %j", (delimiter) => {
    const text = `email${delimiter}city\na@x.test${delimiter}"Paris, Texas"`
    expect(rowsOf(text)).toEqual([{ line: 2, cells: ["a@x.test", "Paris, Texas"] }])
  })

  it("keeps empty cells, and drops empty rows", () => {
    expect(rowsOf("email,a,b\nx@x.test,,\n,,\n")).toEqual([
      { line: 2, cells: ["x@x.test", "", ""] },
    ])
  })

  it("with a quote that never closes is refused", () => {
    expect(() => readCsv('email\n"a@x.test\n')).toThrow("never closed")
  })

  it("of 2 MiB is read", () => {
    const row = `${"x".repeat(50)}@x.test,"a ""quoted"" text"\n`
    const text = `email,note\n${row.repeat(Math.floor((2 * 1024 * 1024) / row.length))}`
    expect(rowsOf(text).length).toBeGreaterThan(20_000)
  })
})

describe("the columns of an import", () => {
  it("are guessed by their names, each field once", () => {
    expect(guess(headed("E-Mail", "First Name", "City", "email", ""))).toEqual([
      { target: "email", name: "E-Mail" },
      { target: "firstName", name: "First Name" },
      { target: "property", name: "City" },
      { target: "property", name: "email 2" },
      { target: "ignore", name: "" },
    ])
  })

  it.each([
    ["First", "firstName"],
    ["last_name", "lastName"],
    ["E-mail Address", "email"],
    ["Opt-in", "subscribed"],
    ["Accepts Email Marketing", "subscribed"],
    ["Unsubscribed", "unsubscribed"],
    ["opted_out", "unsubscribed"],
    ["Unsubscribed?", "unsubscribed"],
    ["Abgemeldet", "unsubscribed"],
    ["Désabonné", "unsubscribed"],
    ["Dado de baja", "unsubscribed"],
    ["Newsletter", "subscribed"],
    ["Abonniert", "subscribed"],
  ])("are guessed in other words: %s", (name, target) => {
    expect(guess(headed(name))).toEqual([{ target, name }])
  })

  it.each([
    ["Marketing-Einwilligung erteilt?", "subscribed"],
    ["Newsletter gewünscht?", "subscribed"],
    ["Do you agree to marketing?", "subscribed"],
    ["Inscrit à la newsletter ?", "subscribed"],
    ["¿Acepta publicidad?", "subscribed"],
    ["Opted out of mailings?", "unsubscribed"],
    ["Keine Werbung?", "unsubscribed"],
    ["Einwilligung widerrufen?", "unsubscribed"],
    ["Ne pas envoyer de publicité ?", "unsubscribed"],
    ["¿No enviar publicidad?", "unsubscribed"],
    ["Kontakt erwünscht?", "property"],
  ])("are guessed by what they ask: %s", (name, target) => {
    expect(guess(headed(name))).toEqual([{ target, name }])
  })

  it.each([
    ["Marketing ok", ["ja", "nein", ""], "subscribed"],
    ["No marketing", ["yes", "no"], "unsubscribed"],
    ["Status", ["subscribed", "Unsubscribed"], "subscribed"],
    ["Opt-out state", ["opted-in", "opted-out"], "subscribed"],
    ["Marketing channel", ["web", "shop"], "property"],
    ["City", ["Y", "Y"], "property"],
  ])("are guessed by their values: %s %j", (name, values, target) => {
    const rows = values.map((value, index) => ({ line: index + 2, cells: [value] }))
    expect(guess({ header: [name], rows })).toEqual([{ target, name }])
  })

  it("that look like consent are asked about when they become something else", () => {
    const file = readCsv(
      "email,Marketing ok,Opt-out,City\na@x.test,ja,,Marketing\nb@x.test,nein,,Y\n",
    )
    const mapped = guess(file)
    expect(mapped.map(({ target }) => target)).toEqual([
      "email",
      "property",
      "unsubscribed",
      "property",
    ])
    expect(overlookedConsent(file, mapped)).toEqual(["Marketing ok"])
    const left = mapped.map((one) => ({
      ...one,
      target: one.target === "unsubscribed" ? ("ignore" as const) : one.target,
    }))
    expect(overlookedConsent(file, left)).toEqual(["Marketing ok", "Opt-out"])
  })

  it("read yes and no in other languages", () => {
    const file = readCsv("email,abgemeldet\na@x.test,ja\nb@x.test,nein\n")
    expect(rewrite(file, guess(file)).csv).toBe("email,subscribed\na@x.test,no\nb@x.test,yes\n")
  })

  it("fill consent once, also by its opposite", () => {
    const both = guess(headed("email", "subscribed", "unsubscribed"))
    expect(both.map(({ target }) => target)).toEqual(["email", "subscribed", "property"])
    const twice = both.map((one) =>
      one.target === "property" ? { ...one, target: "unsubscribed" as const } : one,
    )
    expect(problemOf(twice)).toBe("Two columns are set to “Subscribed”.")
  })

  it("read a column of unsubscribed people as the opposite of consent", () => {
    const file = readCsv(
      "email,unsubscribed\na@x.test,true\nb@x.test, No\nc@x.test,\nd@x.test,perhaps\n",
    )
    expect(rewrite(file, guess(file)).csv).toBe(
      "email,subscribed\na@x.test,false\nb@x.test,yes\nc@x.test,\nd@x.test,perhaps\n",
    )
  })

  it("are refused where the API would refuse them", () => {
    const email = { target: "email", name: "email" } as const
    const property = (name: string) => ({ target: "property", name }) as const
    expect(problemOf([property("a")])).toBe("Choose the column with the email address.")
    expect(problemOf([email, email])).toBe("Two columns are set to “Address”.")
    expect(problemOf([email, property("a"), property("A ")])).toContain("same name")
    expect(problemOf([email, property("Subscribed")])).toContain("cannot be used")
    expect(problemOf([email, property(" ")])).toBe("Enter a name for each property.")
    expect(problemOf([email, property("city")])).toBeNull()
  })

  it("are written as the API reads them, and lines lead back to the file", () => {
    const file = readCsv('mail;note;secret;town\na@x.test;"1\n2";s;Rome\n\nb@x.test;;;;extra\n')
    const mapped = guess(file).map((one) =>
      one.name === "secret" ? { ...one, target: "ignore" as const } : one,
    )
    const { csv, originalLine } = rewrite(file, mapped)
    expect(csv).toBe('email,note,town\na@x.test,"1\n2",Rome\nb@x.test,,,extra\n')
    expect([...originalLine]).toEqual([
      [2, 2],
      [4, 5],
    ])
  })
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

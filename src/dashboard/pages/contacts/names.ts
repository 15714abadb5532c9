import { toPlain } from "../../../lib/consent/words.ts"

/** What a column holds of a person's name. */
export type NameField = "firstName" | "lastName" | "fullName"

const list = (text: string) => new Set(text.split(","))

const FIRST = list(
  "first,first name,firstname,fname,given name,givenname,forename,vorname,rufname,prénom,prenom,nombre,nombre de pila,primer nombre,primeiro nome,voornaam,imię,imie,имя,jméno,křestní jméno,keresztnév,förnamn,fornavn,etunimi,prenume,имя получателя,名,이름,名字",
)
const LAST = list(
  "last,last name,lastname,lname,surname,sur name,family name,familyname,nachname,familienname,zuname,nom de famille,apellido,apellidos,cognome,sobrenome,apelido,achternaam,nazwisko,фамилия,příjmení,vezetéknév,efternamn,etternavn,efternavn,sukunimi,nume de familie,soyad,soyadı,soyisim,姓,성",
)
const FULL = list(
  "name,full name,fullname,contact name,subscriber name,customer name,vollständiger name,vor und nachname,nom complet,nombre completo,nombre y apellidos,nome completo,имя и фамилия,фио,navn,namn,naam,nimi,氏名,お名前,名前,姓名,성명",
)

/** Words that mean another part of the name where the file has the rest. */
const BESIDE_FIRST = list("name,nom,naam,navn,namn,nume")
const BESIDE_LAST = list("nome,name,nombre,ad,isim")

/** By the name of a column, and of those beside it. */
export function nameFieldOf(name: string, header: readonly string[]): NameField | undefined {
  const text = toPlain(name)
  const others = header.map(toPlain)
  if (FIRST.has(text)) return "firstName"
  if (LAST.has(text)) return "lastName"
  if (BESIDE_FIRST.has(text) && others.some((other) => FIRST.has(other))) {
    return others.some((other) => LAST.has(other)) ? undefined : "lastName"
  }
  if (BESIDE_LAST.has(text) && others.some((other) => LAST.has(other))) return "firstName"
  const hasParts = others.some((other) => FIRST.has(other) || LAST.has(other))
  if (text === "nome" && !hasParts) return "fullName"
  return FULL.has(text) && !hasParts ? "fullName" : undefined
}

/** `Ada King` and `King, Ada` are Ada and King. One word is a first name. */
export function splitName(name: string): [first: string, last: string] {
  const [last = "", first] = name.split(/\s*,\s*/)
  if (first) return [first, last]
  const [start = "", ...rest] = name.trim().split(/\s+/)
  return [start, rest.join(" ")]
}

/** Replaces the sign-in library's database in memory, which Edgepost does not use. */
export function memoryAdapter(): never {
  throw new Error("The database is D1")
}

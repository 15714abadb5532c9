/** Replaces the sign-in library's database in memory, which is for want of a real one. */
export function memoryAdapter(): never {
  throw new Error("The database is D1")
}

/** The members of an object that have these names. */
export const pick = <T extends object, Name extends keyof T>(from: T, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, Name>

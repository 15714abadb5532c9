export const toCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map(quoted).join(",")).join("\r\n")

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

import { Link as RouterLink } from "@tanstack/react-router"
import type { ComponentProps } from "react"

type Props = Omit<ComponentProps<"a">, "href"> & {
  /** Below `/dashboard`, a query included: "/emails?q=ada". */
  to: string
}

export function Link({ to, ...props }: Props) {
  const { pathname, searchParams } = new URL(to, location.origin)
  return (
    <RouterLink
      {...(props as object)}
      to={pathname}
      search={Object.fromEntries(searchParams) as never}
      className={props.className ?? "underline-offset-2 hover:underline"}
    />
  )
}

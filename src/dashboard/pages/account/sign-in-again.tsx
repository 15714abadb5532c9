import { Link } from "../../app/link.tsx"
import { buttonClass } from "../../ui/button.tsx"

/** For what needs a sign-in of the last ten minutes. It asks for the second factor, too, and leads back. */
export const SignInAgain = ({ to }: { to: string }) => (
  <Link
    to={`/sign-in?next=${encodeURIComponent("/dashboard/account")}`}
    className={buttonClass("plain")}
  >
    Sign in again to {to}
  </Link>
)

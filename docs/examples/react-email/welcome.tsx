import type { ReactElement } from "react"

interface Props {
  name: string
  confirmUrl: string
}

/** An email in React. Mail programs know inline styles and tables, and little else. */
export const Welcome = ({ name, confirmUrl }: Props): ReactElement => (
  <html lang="en">
    <body style={{ backgroundColor: "#f6f6f6", fontFamily: "Helvetica, Arial, sans-serif" }}>
      <table role="presentation" align="center" width={600} style={{ backgroundColor: "#ffffff" }}>
        <tbody>
          <tr>
            <td style={{ padding: 32 }}>
              <h1 style={{ fontSize: 24, margin: 0 }}>Welcome, {name}</h1>
              <p style={{ lineHeight: 1.5 }}>One click, and your account is ready.</p>
              <a
                href={confirmUrl}
                style={{
                  backgroundColor: "#1d4ed8",
                  color: "#ffffff",
                  padding: "12px 20px",
                  textDecoration: "none",
                }}
              >
                Confirm your address
              </a>
            </td>
          </tr>
        </tbody>
      </table>
    </body>
  </html>
)

import { Edgepost, EdgepostError } from "edgepost"

/** POST /api/welcome {"email": "ada@example.com"}. SVC_API_KEY and SVC_BASE_URL are in the environment. */
export async function POST(request: Request): Promise<Response> {
  const edgepost = new Edgepost()
  const { email } = (await request.json()) as { email: string }
  try {
    const { id } = await edgepost.emails.send(
      {
        from: process.env.MAIL_FROM ?? "Acme <hello@demo.test>",
        to: email,
        subject: "Welcome",
        html: "<p>Good to have you.</p>",
      },
      // A visitor who presses twice gets one mail.
      { idempotencyKey: `welcome/${email}` },
    )
    return Response.json({ id }, { status: 201 })
  } catch (error) {
    if (!(error instanceof EdgepostError)) throw error
    // The service's own answer may name your domain, key or limits: it is not for visitors.
    console.error(error)
    return Response.json({ error: "The email could not be sent." }, { status: 502 })
  }
}

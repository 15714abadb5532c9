/** What a person does after the first deployment. A claim code joins here. */
export function nextSteps(name: string, baseUrl: string): string {
  const remote = name === "edgepost" ? "--remote" : `--remote=${name}`
  return `
${baseUrl} is ready.

  1. A team with its owner:   npm run team -- "Our team" owner@example.com ${remote}
  2. Its first domain:        ${baseUrl}/docs (POST /api/v1/domains); set the DNS records it answers
  3. A test to yourself:      send it from an address at that domain, once the domain is verified

Mail goes to the sandbox until PROVIDER is set: see "Send real mail" in the README.`
}

export const CLOUDFLARE = "Cloudflare"

/** Who runs name servers under these domains, and where its users edit DNS. */
const HOSTS: readonly (readonly [suffix: string, name: string, url: string])[] = [
  ["ns.cloudflare.com", CLOUDFLARE, "https://dash.cloudflare.com"],
  ["domaincontrol.com", "GoDaddy", "https://dcc.godaddy.com"],
  ["registrar-servers.com", "Namecheap", "https://ap.www.namecheap.com"],
  ["googledomains.com", "Google Cloud DNS or Squarespace", "https://account.squarespace.com"],
  ["squarespacedns.com", "Squarespace", "https://account.squarespace.com"],
  ["digitalocean.com", "DigitalOcean", "https://cloud.digitalocean.com/networking/domains"],
  ["linode.com", "Linode", "https://cloud.linode.com/domains"],
  ["vercel-dns.com", "Vercel", "https://vercel.com/domains"],
  ["porkbun.com", "Porkbun", "https://porkbun.com/account/domainsSpeedy"],
  ["gandi.net", "Gandi", "https://admin.gandi.net"],
  ["ovh.net", "OVH", "https://www.ovh.com/manager"],
  ["ovh.ca", "OVH", "https://www.ovh.com/manager"],
  ["anycast.me", "OVH", "https://www.ovh.com/manager"],
  ["dnsimple.com", "DNSimple", "https://dnsimple.com/dashboard"],
  ["dnsimple-edge.net", "DNSimple", "https://dnsimple.com/dashboard"],
  ["wixdns.net", "Wix", "https://manage.wix.com"],
  ["dreamhost.com", "DreamHost", "https://panel.dreamhost.com"],
  ["name.com", "Name.com", "https://www.name.com/account/domain"],
  ["ns.hetzner.com", "Hetzner", "https://dns.hetzner.com"],
  ["ns.hetzner.de", "Hetzner", "https://dns.hetzner.com"],
  ["dnsmadeeasy.com", "DNS Made Easy", "https://cp.dnsmadeeasy.com"],
  ["inwx.de", "INWX", "https://www.inwx.de"],
  ["hover.com", "Hover", "https://www.hover.com/control_panel"],
]

/** Hosts whose name servers have many domains. */
const PATTERNS: readonly (readonly [pattern: RegExp, name: string, url: string])[] = [
  [/\.awsdns-\d+\./, "Amazon Route 53", "https://console.aws.amazon.com/route53"],
  [/\.azure-dns\./, "Azure DNS", "https://portal.azure.com"],
  [/\.ui-dns\./, "IONOS", "https://my.ionos.com"],
]

export function dnsHost(nameServers: readonly string[]): { name: string; url: string } | null {
  for (const server of nameServers) {
    const found =
      HOSTS.find(([suffix]) => server.endsWith(`.${suffix}`)) ??
      PATTERNS.find(([pattern]) => pattern.test(server))
    if (found) return { name: found[1], url: found[2] }
  }
  return null
}

-- Cloudflare's events name its message and nothing of ours; the other providers' mail stays out.
CREATE INDEX emails_cloudflare_message ON emails (provider_message_id)
  WHERE substr(provider_message_id, 1, 3) = 'cf:';

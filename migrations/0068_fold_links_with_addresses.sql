-- Clicks on links whose URL names an address that is encoded twice or more count with the links beyond the first ones.
INSERT INTO link_clicks (team_id, owner_id, url, clicks, recipients)
SELECT team_id, owner_id, '', sum(clicks), sum(recipients) FROM link_clicks
WHERE url GLOB '*%2540*' OR url GLOB '*%252540*' OR url GLOB '*%25252540*'
GROUP BY team_id, owner_id
ON CONFLICT (team_id, owner_id, url) DO UPDATE SET clicks = clicks + excluded.clicks, recipients = recipients + excluded.recipients;
DELETE FROM link_clicks WHERE url GLOB '*%2540*' OR url GLOB '*%252540*' OR url GLOB '*%25252540*';

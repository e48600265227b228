-- $1 variable album
select coalesce(json_agg(track), '[]')::text
from (
  select "TrackId", "Name", "Composer", "Milliseconds", "UnitPrice"
  from "Track"
  where "AlbumId" = $1::integer
  order by "TrackId"
) as track

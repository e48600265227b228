-- $1 variable id
select row_to_json(track)::text
from (
  select "TrackId", "Name", "Composer", "Milliseconds", "UnitPrice"
  from "Track"
  where "TrackId" = $1::integer
) as track

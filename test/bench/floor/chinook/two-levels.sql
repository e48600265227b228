-- $1 variable offset
select coalesce(json_agg(entry), '[]')::text
from (
  select album."Title", json_build_object('Name', artist."Name") as "Artist", tracks."Tracks"
  from (
    select "AlbumId", "Title", "ArtistId" from "Album" order by "AlbumId" limit 10 offset $1::bigint
  ) as album
  join "Artist" as artist using ("ArtistId")
  cross join lateral (
    select coalesce(json_agg(track), '[]') as "Tracks"
    from (
      select "Name", "Milliseconds" from "Track" where "AlbumId" = album."AlbumId" order by "TrackId"
    ) as track
  ) as tracks
  order by album."AlbumId"
) as entry

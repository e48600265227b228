-- $1 variable artist
select row_to_json(answer)::text
from (
  select artist."Name", albums."Albums"
  from "Artist" as artist
  cross join lateral (
    select coalesce(json_agg(entry), '[]') as "Albums"
    from (
      select album."Title", tracks."Tracks"
      from "Album" as album
      cross join lateral (
        select coalesce(
          json_agg(
            json_build_object(
              'Name', track."Name",
              'Genre', case when genre."GenreId" is not null then json_build_object('Name', genre."Name") end,
              'MediaType', json_build_object('Name', media_type."Name")
            )
            order by track."TrackId"
          ),
          '[]'
        ) as "Tracks"
        from "Track" as track
        join "MediaType" as media_type using ("MediaTypeId")
        left join "Genre" as genre using ("GenreId")
        where track."AlbumId" = album."AlbumId"
      ) as tracks
      where album."ArtistId" = artist."ArtistId"
      order by album."Title"
    ) as entry
  ) as albums
  where artist."ArtistId" = $1::integer
) as answer

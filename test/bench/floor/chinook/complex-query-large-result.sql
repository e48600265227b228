-- $1 variable genre
-- $2 variable track_lim
select coalesce(json_agg(entry), '[]')::text
from (
  select playlist."Name", tracks.tracks_of_genre
  from "Playlist" as playlist
  cross join lateral (
    select coalesce(json_agg(json_build_object('Track', track)), '[]') as tracks_of_genre
    from (
      select json_build_object(
        'Name', track."Name",
        'Album', case when album."AlbumId" is not null then
          json_build_object('Title', album."Title", 'Artist', json_build_object('Name', artist."Name"))
        end,
        'MediaType', json_build_object('Name', media_type."Name")
      ) as track
      from "PlaylistTrack" as playlist_track
      join "Track" as track using ("TrackId")
      join "Genre" as genre using ("GenreId")
      join "MediaType" as media_type using ("MediaTypeId")
      left join "Album" as album using ("AlbumId")
      left join "Artist" as artist using ("ArtistId")
      where playlist_track."PlaylistId" = playlist."PlaylistId" and genre."Name" = $1::text
      limit $2::bigint
    ) as track
  ) as tracks
  where exists (
    select 1
    from "PlaylistTrack" as playlist_track
    join "Track" as track using ("TrackId")
    join "Genre" as genre using ("GenreId")
    where playlist_track."PlaylistId" = playlist."PlaylistId" and genre."Name" = $1::text
  )
  order by playlist."Name"
) as entry

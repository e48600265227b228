// default · public.attachment · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const attachment = table(source, {
  schema: "public",
  name: "attachment",
  kind: "table",
  graphqlName: "attachment",
  description: "A file sent with a message; the bytes live in object storage",
  columns: {
    id: { type: "uuid", notNull: true, hasDefault: true },
    message_id: { type: "int4", notNull: true },
    file_name: { type: "text", notNull: true },
    content_type: { type: "text", notNull: true },
    byte_size: { type: "int8", notNull: true },
    storage_key: {
      type: "text",
      notNull: true,
      description: "The key in object storage; the upload service alone knows it",
    },
    created_at: { type: "timestamptz", notNull: true, hasDefault: true },
  },
  relationships: {
    message: { kind: "object", target: "public.message", columns: { message_id: "id" }, notNull: true, unique: true },
  },
  primaryKey: { name: "attachment_pkey", columns: ["id"] },
  unique: { attachment_storage_key_key: ["storage_key"] },
  onDelete: { "public.message": "cascade" },
}, standardFields("attachment"));

export type Attachment = Row<typeof attachment>;
export type AttachmentWhere = Where<typeof attachment>;

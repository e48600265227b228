// default · public.attachment · shape and root fields
import { type Row, table, type Where } from "engine/contract";
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
}, {
  query: { attachment: "select", attachment_by_pk: "select_by_pk", attachment_aggregate: "select_aggregate" },
  subscription: { attachment_stream: "select_stream" },
  mutation: {
    insert_attachment: "insert",
    insert_attachment_one: "insert_one",
    update_attachment: "update",
    update_attachment_by_pk: "update_by_pk",
    update_attachment_many: "update_many",
    delete_attachment: "delete",
    delete_attachment_by_pk: "delete_by_pk",
  },
});

export type Attachment = Row<typeof attachment>;
export type AttachmentWhere = Where<typeof attachment>;

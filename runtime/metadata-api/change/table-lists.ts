/** Lists of a tracked table, by the type that their entries have among inconsistent objects. */
export const TABLE_LISTS = {
  object_relation: 'object_relationships',
  array_relation: 'array_relationships',
  computed_field: 'computed_fields',
  remote_relationship: 'remote_relationships',
  event_trigger: 'event_triggers',
  insert_permission: 'insert_permissions',
  select_permission: 'select_permissions',
  update_permission: 'update_permissions',
  delete_permission: 'delete_permissions',
} as const;

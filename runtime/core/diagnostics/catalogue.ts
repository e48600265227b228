// Generated from messages/ by `npm run generate:diagnostics`; do not edit.

import type { Message } from './diagnostic.ts';

type Hole = string | number;

function message(
  code: string,
  severity: Message['severity'],
  lines: readonly (string | undefined)[],
): Message {
  const [text = '', ...details] = lines.filter((line) => line !== undefined);
  return { code, severity, message: text, ...(details.length > 0 && { details }) };
}

/** Every message of the compiler, by code: a function of what the message names. */
export const messages = {
  /** the type: "%name%" is not defined in custom types or it is not a scalar/enum/input_object */
  actionArgumentTypeUnknown: ({ name }: { name: Hole }): Message =>
    message('action-argument-type-unknown', 'error', [
      `the type: "${name}" is not defined in custom types or it is not a scalar/enum/input_object`,
    ]),
  /** action %action% is not present in actions.graphql */
  actionNotInSdl: ({ action, nearest }: { action: Hole; nearest?: Hole | undefined }): Message =>
    message('action-not-in-sdl', 'error', [
      `action ${action} is not present in actions.graphql`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** the type: "%name%" is not an object or scalar type defined in custom types */
  actionOutputTypeUnknown: ({ name }: { name: Hole }): Message =>
    message('action-output-type-unknown', 'error', [
      `the type: "${name}" is not an object or scalar type defined in custom types`,
    ]),
  /** Object relationship "%relationship%" of object type "%type%" finds one row of several: its columns of table %table% are not unique. */
  actionRelationshipNotUnique: ({
    relationship,
    type,
    table,
  }: {
    relationship: Hole;
    type: Hole;
    table: Hole;
  }): Message =>
    message('action-relationship-not-unique', 'warning', [
      `Object relationship "${relationship}" of object type "${type}" finds one row of several: its columns of table ${table} are not unique.`,
    ]),
  /** Relationship "%relationship%" of object type "%type%" compares texts: field "%field%" has type %given%, column "%column%" of table %table% %wanted%. */
  actionRelationshipTypes: ({
    relationship,
    type,
    field,
    given,
    column,
    table,
    wanted,
  }: {
    relationship: Hole;
    type: Hole;
    field: Hole;
    given: Hole;
    column: Hole;
    table: Hole;
    wanted: Hole;
  }): Message =>
    message('action-relationship-types', 'warning', [
      `Relationship "${relationship}" of object type "${type}" compares texts: field "${field}" has type ${given}, column "${column}" of table ${table} ${wanted}.`,
    ]),
  /** The %construct% %name% in actions.graphql is ignored: actions have no %construct%s. */
  actionSdlIgnored: ({ construct, name }: { construct: Hole; name: Hole }): Message =>
    message('action-sdl-ignored', 'warning', [
      `The ${construct} ${name} in actions.graphql is ignored: actions have no ${construct}s.`,
    ]),
  /** %transform% of action "%action%": %reason% */
  actionTemplateLookup: ({
    transform,
    action,
    reason,
  }: {
    transform: Hole;
    action: Hole;
    reason: Hole;
  }): Message =>
    message('action-template-lookup', 'warning', [`${transform} of action "${action}": ${reason}`]),
  /** %transform%: %reasons% */
  actionTransformInvalid: ({ transform, reasons }: { transform: Hole; reasons: Hole }): Message =>
    message('action-transform-invalid', 'error', [`${transform}: ${reasons}`]),
  /** actions.graphql is not a GraphQL document: %reason%. */
  actionsSdlInvalid: ({ reason }: { reason: Hole }): Message =>
    message('actions-sdl-invalid', 'error', [`actions.graphql is not a GraphQL document: ${reason}.`]),
  /** Role "%role%" may order by aggregates of related rows that it may not aggregate, of these tables: %tables%. */
  aggregatesReadableByOrder: ({ role, tables }: { role: Hole; tables: Hole }): Message =>
    message('aggregates-readable-by-order', 'warning', [
      `Role "${role}" may order by aggregates of related rows that it may not aggregate, of these tables: ${tables}.`,
      'Set allow_aggregations where that is meant, start the server with --restrict-aggregate-order, or allow it on purpose.',
    ]),
  /** Role "%role%" may %operation% all columns ("*") of table %table%, including columns that are added to the table later. */
  allColumnsGranted: ({ role, operation, table }: { role: Hole; operation: Hole; table: Hole }): Message =>
    message('all-columns-granted', 'warning', [
      `Role "${role}" may ${operation} all columns ("*") of table ${table}, including columns that are added to the table later.`,
      'Name the columns.',
    ]),
  /** The allow-list lets every role send the query "%query%" of collection "%collection%", but no role may run it. Role "%role%": %error%.%rule% */
  allowedQueryForNobody: ({
    query,
    collection,
    role,
    error,
    rule,
  }: {
    query: Hole;
    collection: Hole;
    role: Hole;
    error: Hole;
    rule: Hole;
  }): Message =>
    message('allowed-query-for-nobody', 'warning', [
      `The allow-list lets every role send the query "${query}" of collection "${collection}", but no role may run it. Role "${role}": ${error}.${rule}`,
    ]),
  /** The allow-list lets role "%role%" send the query "%query%" of collection "%collection%", but the role may not run it: %error%.%rule% */
  allowedQueryRefused: ({
    role,
    query,
    collection,
    error,
    rule,
  }: {
    role: Hole;
    query: Hole;
    collection: Hole;
    error: Hole;
    rule: Hole;
  }): Message =>
    message('allowed-query-refused', 'warning', [
      `The allow-list lets role "${role}" send the query "${query}" of collection "${collection}", but the role may not run it: ${error}.${rule}`,
    ]),
  /** Async action relations cannot be used with object fields: %fields% */
  asyncActionRelationshipsNested: ({ fields }: { fields: Hole }): Message =>
    message('async-action-relationships-nested', 'error', [
      `Async action relations cannot be used with object fields: ${fields}`,
    ]),
  /** The rule of role "%role%" for %operation% on table %table% compares column "%column%" with itself. */
  columnComparedWithItself: ({
    role,
    operation,
    table,
    column,
  }: {
    role: Hole;
    operation: Hole;
    table: Hole;
    column: Hole;
  }): Message =>
    message('column-compared-with-itself', 'warning', [
      `The rule of role "${role}" for ${operation} on table ${table} compares column "${column}" with itself.`,
      'It holds for every row in which the column is not null.',
      'Compare it with a session variable or another column, or write {"_is_null": false}.',
    ]),
  /** configuration was given for the column "%column%", but no such column exists */
  columnConfigurationWithoutColumn: ({
    column,
    nearest,
  }: {
    column: Hole;
    nearest?: Hole | undefined;
  }): Message =>
    message('column-configuration-without-column', 'error', [
      `configuration was given for the column "${column}", but no such column exists`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** the definitions of columns "%first%" and "%second%" are in conflict: they are mapped to the same field name, "%field%" */
  columnFieldsConflict: ({ first, second, field }: { first: Hole; second: Hole; field: Hole }): Message =>
    message('column-fields-conflict', 'error', [
      `the definitions of columns "${first}" and "${second}" are in conflict: they are mapped to the same field name, "${field}"`,
    ]),
  /** Column "%column%" of table %table% is left out of the GraphQL schema, because its name is not a valid GraphQL name. */
  columnNameLeftOut: ({ column, table }: { column: Hole; table: Hole }): Message =>
    message('column-name-left-out', 'warning', [
      `Column "${column}" of table ${table} is left out of the GraphQL schema, because its name is not a valid GraphQL name.`,
      'Give it a custom name in configuration.column_config.',
    ]),
  /** incompatible column types: "%left%" has type "%leftType%", but "%right%" has type "%rightType%" */
  columnsIncomparable: ({
    left,
    leftType,
    right,
    rightType,
  }: {
    left: Hole;
    leftType: Hole;
    right: Hole;
    rightType: Hole;
  }): Message =>
    message('columns-incomparable', 'error', [
      `incompatible column types: "${left}" has type "${leftType}", but "${right}" has type "${rightType}"`,
    ]),
  /** the computed field "%field%" cannot be added to table %table% %reasons% */
  computedFieldInvalid: ({ field, table, reasons }: { field: Hole; table: Hole; reasons: Hole }): Message =>
    message('computed-field-invalid', 'error', [
      `the computed field "${field}" cannot be added to table ${table} ${reasons}`,
    ]),
  /** The header "%header%" of %what% has its value in the metadata. */
  credentialInMetadata: ({ header, what }: { header: Hole; what: Hole }): Message =>
    message('credential-in-metadata', 'warning', [
      `The header "${header}" of ${what} has its value in the metadata.`,
      'Generated files and artefacts hold it, too. Put the value into an environment variable and name that in value_from_env.',
    ]),
  /** custom type %type% is not present in actions.graphql */
  customTypeNotInSdl: ({ type, nearest }: { type: Hole; nearest?: Hole | undefined }): Message =>
    message('custom-type-not-in-sdl', 'error', [
      `custom type ${type} is not present in actions.graphql`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** custom types are inconsistent */
  customTypesInconsistent: (): Message =>
    message('custom-types-inconsistent', 'error', ['custom types are inconsistent']),
  /** validation for the given custom types failed %reasons% */
  customTypesInvalid: ({ reasons }: { reasons: Hole }): Message =>
    message('custom-types-invalid', 'error', [`validation for the given custom types failed ${reasons}`]),
  /** Role "%role%" may %operation% rows of table %table% without a check that has session variables, and the row rules of %users% look for rows of it. */
  decidingTableWritable: ({
    role,
    operation,
    table,
    users,
  }: {
    role: Hole;
    operation: Hole;
    table: Hole;
    users: Hole;
  }): Message =>
    message('deciding-table-writable', 'warning', [
      `Role "${role}" may ${operation} rows of table ${table} without a check that has session variables, and the row rules of ${users} look for rows of it.`,
      'A caller who writes such a row decides which rows these rules let through.',
      'Write a check on the relationships of the row.',
    ]),
  /** the %kind% "%name%" cannot be served: %reason% */
  declaredObjectRefused: ({ kind, name, reason }: { kind: Hole; name: Hole; reason: Hole }): Message =>
    message('declared-object-refused', 'error', [`the ${kind} "${name}" cannot be served: ${reason}`]),
  /** multiple declarations exist for the following %kind%: %names% */
  duplicateDeclaration: ({ kind, names }: { kind: Hole; names: Hole }): Message =>
    message('duplicate-declaration', 'error', [
      `multiple declarations exist for the following ${kind}: ${names}`,
      'Only the first declaration of each is used.',
    ]),
  /** Duplicate variables found in endpoint path: %url% */
  endpointDuplicateVariable: ({ url }: { url: Hole }): Message =>
    message('endpoint-duplicate-variable', 'error', [`Duplicate variables found in endpoint path: ${url}`]),
  /** Empty segments or unnamed variables are not allowed: %url% */
  endpointEmptySegment: ({ url }: { url: Hole }): Message =>
    message('endpoint-empty-segment', 'error', [
      `Empty segments or unnamed variables are not allowed: ${url}`,
    ]),
  /** query with name %query% has no definitions. */
  endpointQueryEmpty: ({ query }: { query: Hole }): Message =>
    message('endpoint-query-empty', 'error', [`query with name ${query} has no definitions.`]),
  /** query with name %query% has multiple definitions. */
  endpointQuerySeveral: ({ query }: { query: Hole }): Message =>
    message('endpoint-query-several', 'error', [`query with name ${query} has multiple definitions.`]),
  /** query with name %query% is a subscription */
  endpointSubscription: ({ query }: { query: Hole }): Message =>
    message('endpoint-subscription', 'error', [`query with name ${query} is a subscription`]),
  /** the path has a variable "%variable%", which query with name %query% does not declare */
  endpointUndeclaredVariable: ({ variable, query }: { variable: Hole; query: Hole }): Message =>
    message('endpoint-undeclared-variable', 'error', [
      `the path has a variable "${variable}", which query with name ${query} does not declare`,
    ]),
  /** No request has a path that matches %url%: in the segment "%segment%" %why% */
  endpointUnreachable: ({ url, segment, why }: { url: Hole; segment: Hole; why: Hole }): Message =>
    message('endpoint-unreachable', 'error', [
      `No request has a path that matches ${url}: in the segment "${segment}" ${why}`,
    ]),
  /** collection with name %collection% does not exist */
  endpointWithoutCollection: ({ collection }: { collection: Hole }): Message =>
    message('endpoint-without-collection', 'error', [`collection with name ${collection} does not exist`]),
  /** query with name %query% does not exist in collection %collection% */
  endpointWithoutQuery: ({ query, collection }: { query: Hole; collection: Hole }): Message =>
    message('endpoint-without-query', 'error', [
      `query with name ${query} does not exist in collection ${collection}`,
    ]),
  /** Ambiguous URL paths: %urls% */
  endpointsAmbiguous: ({ urls }: { urls: Hole }): Message =>
    message('endpoints-ambiguous', 'error', [`Ambiguous URL paths: ${urls}`]),
  /** column "%column%" in table %table% references multiple enum tables (%enums%) */
  enumReferenceAmbiguous: ({ column, table, enums }: { column: Hole; table: Hole; enums: Hole }): Message =>
    message('enum-reference-ambiguous', 'error', [
      `column "${column}" in table ${table} references multiple enum tables (${enums})`,
    ]),
  /** the rows of the enum table %table% are not in the catalog */
  enumTableRowsUnknown: ({ table }: { table: Hole }): Message =>
    message('enum-table-rows-unknown', 'error', [
      `the rows of the enum table ${table} are not in the catalog`,
    ]),
  /** the table %table% cannot be used as an enum %reasons% */
  enumTableUnusable: ({ table, reasons }: { table: Hole; reasons: Hole }): Message =>
    message('enum-table-unusable', 'error', [`the table ${table} cannot be used as an enum ${reasons}`]),
  /** The environment variable %name% is not set. */
  environmentVariableMissing: ({ name, users }: { name: Hole; users: Hole }): Message =>
    message('environment-variable-missing', 'error', [
      `The environment variable ${name} is not set.`,
      `It is needed by ${users}.`,
    ]),
  /** environment variable '%name%' not set */
  environmentVariableNotSet: ({ name }: { name: Hole }): Message =>
    message('environment-variable-not-set', 'error', [`environment variable '${name}' not set`]),
  /** Value for environment variables not found: %names% */
  environmentVariablesNotFound: ({ names }: { names: Hole }): Message =>
    message('environment-variables-not-found', 'error', [
      `Value for environment variables not found: ${names}`,
    ]),
  /** "%name%" does not exist */
  eventTriggerColumnMissing: ({ name, nearest }: { name: Hole; nearest?: Hole | undefined }): Message =>
    message('event-trigger-column-missing', 'error', [
      `"${name}" does not exist`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** its function "%name%" is that of event trigger "%other%", too; event trigger name can be at most 42 characters, and PostgreSQL cuts longer ones */
  eventTriggerNameTaken: ({ name, other }: { name: Hole; other: Hole }): Message =>
    message('event-trigger-name-taken', 'error', [
      `its function "${name}" is that of event trigger "${other}", too; event trigger name can be at most 42 characters, and PostgreSQL cuts longer ones`,
    ]),
  /** %table% is not a table; only tables have rows to capture. */
  eventTriggerOnView: ({ table }: { table: Hole }): Message =>
    message('event-trigger-on-view', 'error', [`${table} is not a table; only tables have rows to capture.`]),
  /** The rule of role "%role%" for %operation% on table %table% demands a row of table %other% that need not belong to the row itself. */
  existsNotCorrelated: ({
    role,
    operation,
    table,
    other,
  }: {
    role: Hole;
    operation: Hole;
    table: Hole;
    other: Hole;
  }): Message =>
    message('exists-not-correlated', 'warning', [
      `The rule of role "${role}" for ${operation} on table ${table} demands a row of table ${other} that need not belong to the row itself.`,
      'If there is such a row, the rule lets through every row for which the rest of it holds.',
      `Compare a column of ${other} with a column of the row (["$", "column"]), use a relationship, or allow it on purpose.`,
    ]),
  /** Computed columns with input arguments can not be part of the where clause */
  expressionComputedFieldArguments: (): Message =>
    message('expression-computed-field-arguments', 'error', [
      'Computed columns with input arguments can not be part of the where clause',
    ]),
  /** "%field%" does not exist */
  expressionFieldMissing: ({ field, nearest }: { field: Hole; nearest?: Hole | undefined }): Message =>
    message('expression-field-missing', 'error', [
      `"${field}" does not exist`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** the field "%field%" holds rows of a logical model, which no permission can ask for in this version */
  expressionOverNested: ({ field }: { field: Hole }): Message =>
    message('expression-over-nested', 'error', [
      `the field "${field}" holds rows of a logical model, which no permission can ask for in this version`,
    ]),
  /** the relationship "%field%" leads to a native query, whose rows no permission can ask for in this version */
  expressionOverQuery: ({ field }: { field: Hole }): Message =>
    message('expression-over-query', 'error', [
      `the relationship "${field}" leads to a native query, whose rows no permission can ask for in this version`,
    ]),
  /** table %table% does not exist */
  expressionTableMissing: ({ table, nearest }: { table: Hole; nearest?: Hole | undefined }): Message =>
    message('expression-table-missing', 'error', [
      `table ${table} does not exist`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** parsing %type% failed, expected %expected%, but encountered %found% */
  expressionValueMisplaced: ({
    type,
    expected,
    found,
  }: {
    type: Hole;
    expected: Hole;
    found: Hole;
  }): Message =>
    message('expression-value-misplaced', 'error', [
      `parsing ${type} failed, expected ${expected}, but encountered ${found}`,
    ]),
  /** The migrations need the extension "%extension%", which the %server% does not have. */
  extensionUnavailable: ({
    extension,
    server,
    packages,
    stub,
  }: {
    extension: Hole;
    server: Hole;
    packages?: Hole | undefined;
    stub?: Hole | undefined;
  }): Message =>
    message('extension-unavailable', 'error', [
      `The migrations need the extension "${extension}", which the ${server} does not have.`,
      packages === undefined ? undefined : `Install it: npm install --save-dev ${packages}`,
      stub === undefined ? undefined : `Compile with a stub of it: ${stub}.`,
      'Use a throw-away server that has it (--scratch URL), or a saved catalog (engine introspect, then --catalog FILE).',
    ]),
  /** Table %table% is marked for Apollo federation, but has no primary key whose columns all have GraphQL names. It is no entity. */
  federatedTableWithoutKey: ({ table }: { table: Hole }): Message =>
    message('federated-table-without-key', 'warning', [
      `Table ${table} is marked for Apollo federation, but has no primary key whose columns all have GraphQL names. It is no entity.`,
      'Add a primary key, or give its columns custom names.',
    ]),
  /** field definition conflicts with postgres column */
  fieldConflictsWithColumn: (): Message =>
    message('field-conflicts-with-column', 'error', ['field definition conflicts with postgres column']),
  /** field definition conflicts with custom field name for postgres column "%column%" */
  fieldConflictsWithCustomName: ({ column }: { column: Hole }): Message =>
    message('field-conflicts-with-custom-name', 'error', [
      `field definition conflicts with custom field name for postgres column "${column}"`,
    ]),
  /** conflicting definitions for field "%field%" */
  fieldsConflict: ({ field }: { field: Hole }): Message =>
    message('fields-conflict', 'error', [`conflicting definitions for field "${field}"`]),
  /** more than one foreign key constraint exists on the given column(s) */
  foreignKeyAmbiguous: (): Message =>
    message('foreign-key-ambiguous', 'error', [
      'more than one foreign key constraint exists on the given column(s)',
    ]),
  /** no foreign constraint exists on the given column(s) */
  foreignKeyMissing: ({ advice }: { advice?: Hole | undefined }): Message =>
    message('foreign-key-missing', 'error', [
      'no foreign constraint exists on the given column(s)',
      advice === undefined ? undefined : `${advice}`,
    ]),
  /** The form of the request transform of %object% is sent with the content type application/json. */
  formContentType: ({ object }: { object: Hole }): Message =>
    message('form-content-type', 'warning', [
      `The form of the request transform of ${object} is sent with the content type application/json.`,
      'In its request_headers, write remove_headers: [Content-Type] and add_headers: {Content-Type: application/x-www-form-urlencoded}.',
    ]),
  /** no such function exists: %name% */
  functionNotInDatabase: ({ name, nearest }: { name: Hole; nearest?: Hole | undefined }): Message =>
    message('function-not-in-database', 'error', [
      `no such function exists: ${name}`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** function %name% is overloaded. Overloaded functions are not supported */
  functionOverloaded: ({ name }: { name: Hole }): Message =>
    message('function-overloaded', 'error', [
      `function ${name} is overloaded. Overloaded functions are not supported`,
    ]),
  /** no select permission defined on table %table% for role "%role%" */
  functionPermissionWithoutSelect: ({ table, role }: { table: Hole; role: Hole }): Message =>
    message('function-permission-without-select', 'warning', [
      `no select permission defined on table ${table} for role "${role}"`,
    ]),
  /** The function %name%, %what%, runs with the rights of its owner (SECURITY DEFINER) when %who% calls it. */
  functionSecurityDefiner: ({ name, what, who }: { name: Hole; what: Hole; who: Hole }): Message =>
    message('function-security-definer', 'warning', [
      `The function ${name}, ${what}, runs with the rights of its owner (SECURITY DEFINER) when ${who} calls it.`,
      "It sees what policies hide from the server's account. Read its body, and allow the finding if that is meant.",
    ]),
  /** the function %name% cannot be tracked %reasons% */
  functionUntrackable: ({ name, reasons }: { name: Hole; reasons: Hole }): Message =>
    message('function-untrackable', 'error', [`the function ${name} cannot be tracked ${reasons}`]),
  /** Table %table% has no field "%field%", because the name "%name%" belongs to %owner%. */
  groupByLeftOut: ({
    table,
    field,
    name,
    owner,
  }: {
    table: Hole;
    field: Hole;
    name: Hole;
    owner: Hole;
  }): Message =>
    message('group-by-left-out', 'warning', [
      `Table ${table} has no field "${field}", because the name "${name}" belongs to ${owner}.`,
      'Give one of them another name to have the field.',
    ]),
  /** Role "%role%" may not read %columns% of table %table%, but reads column "%shown%" of %owner%, which is computed from it. */
  hiddenColumnComputed: ({
    role,
    columns,
    table,
    shown,
    owner,
  }: {
    role: Hole;
    columns: Hole;
    table: Hole;
    shown: Hole;
    owner: Hole;
  }): Message =>
    message('hidden-column-computed', 'warning', [
      `Role "${role}" may not read ${columns} of table ${table}, but reads column "${shown}" of ${owner}, which is computed from it.`,
      'The computed value may reveal them. Take the column out of the permission, or allow the finding if it does not.',
    ]),
  /** Role "%role%" may not read %columns% of table %table%, but reads %computed% of the view %view%, whose query uses it. */
  hiddenColumnComputedByView: ({
    role,
    columns,
    table,
    computed,
    view,
  }: {
    role: Hole;
    columns: Hole;
    table: Hole;
    computed: Hole;
    view: Hole;
  }): Message =>
    message('hidden-column-computed-by-view', 'warning', [
      `Role "${role}" may not read ${columns} of table ${table}, but reads ${computed} of the view ${view}, whose query uses it.`,
      'The computed value may reveal them. Read the query of the view, and allow the finding if it does not.',
    ]),
  /** Role "%role%" reads the computed field "%field%" of table %table%, whose function %called% receives the whole row, including columns that the role may not read: %columns%. */
  hiddenColumnGivenToFunction: ({
    role,
    field,
    table,
    called,
    columns,
  }: {
    role: Hole;
    field: Hole;
    table: Hole;
    called: Hole;
    columns: Hole;
  }): Message =>
    message('hidden-column-given-to-function', 'warning', [
      `Role "${role}" reads the computed field "${field}" of table ${table}, whose function ${called} receives the whole row, including columns that the role may not read: ${columns}.`,
      'Read the function, and allow the finding if its result does not reveal them.',
    ]),
  /** Role "%role%" may not read column "%column%" of table %table%, but reads its value as column "%shown%" of the relationship "%relationship%". */
  hiddenColumnShownByRelationship: ({
    role,
    column,
    table,
    shown,
    relationship,
  }: {
    role: Hole;
    column: Hole;
    table: Hole;
    shown: Hole;
    relationship: Hole;
  }): Message =>
    message('hidden-column-shown-by-relationship', 'warning', [
      `Role "${role}" may not read column "${column}" of table ${table}, but reads its value as column "${shown}" of the relationship "${relationship}".`,
      'Take the column out of the permission on the related table, grant it here as well, or allow it on purpose.',
    ]),
  /** Role "%role%" may not read column "%column%" of table %table%, but reads it as column "%shown%" of the view %view%. */
  hiddenColumnShownByView: ({
    role,
    column,
    table,
    shown,
    view,
  }: {
    role: Hole;
    column: Hole;
    table: Hole;
    shown: Hole;
    view: Hole;
  }): Message =>
    message('hidden-column-shown-by-view', 'warning', [
      `Role "${role}" may not read column "${column}" of table ${table}, but reads it as column "${shown}" of the view ${view}.`,
      'Take the column out of the permission on the view, or allow it on purpose.',
    ]),
  /** %file% includes itself through %chain%. */
  includeCycle: ({ file, chain }: { file: Hole; chain: Hole }): Message =>
    message('include-cycle', 'error', [`${file} includes itself through ${chain}.`]),
  /** The included file %file% does not exist. */
  includeMissing: ({ file }: { file: Hole }): Message =>
    message('include-missing', 'error', [
      `The included file ${file} does not exist.`,
      'Targets of !include are relative to the file that names them.',
    ]),
  /** found cycle(s) in roles: %cycle% */
  inheritedRoleCycle: ({ cycle }: { cycle: Hole }): Message =>
    message('inherited-role-cycle', 'error', [`found cycle(s) in roles: ${cycle}`]),
  /** Could not inherit permission for the role "%role%" for the entity: "%operation% permission, table: %table%, source: '%source%'" */
  inheritedRoleMutationConflict: ({
    role,
    operation,
    table,
    source,
  }: {
    role: Hole;
    operation: Hole;
    table: Hole;
    source: Hole;
  }): Message =>
    message('inherited-role-mutation-conflict', 'error', [
      `Could not inherit permission for the role "${role}" for the entity: "${operation} permission, table: ${table}, source: '${source}'"`,
    ]),
  /** the following parent role(s) are not found: %parents% which are required to construct the inherited role: "%role%" */
  inheritedRoleParentsMissing: ({ parents, role }: { parents: Hole; role: Hole }): Message =>
    message('inherited-role-parents-missing', 'error', [
      `the following parent role(s) are not found: ${parents} which are required to construct the inherited role: "${role}"`,
    ]),
  /** The inherited role "%role%" has a permission for %operation% on table %table% that is wider than those of the roles it inherits from: %what%. */
  inheritedRoleWider: ({
    role,
    operation,
    table,
    what,
  }: {
    role: Hole;
    operation: Hole;
    table: Hole;
    what: Hole;
  }): Message =>
    message('inherited-role-wider', 'warning', [
      `The inherited role "${role}" has a permission for ${operation} on table ${table} that is wider than those of the roles it inherits from: ${what}.`,
      'Inheriting looks as if it gave nothing more.',
      'Remove the permission, restrict it, or allow it on purpose.',
    ]),
  /** remote relationship "%name%" of "%entity%" gives "%field%" (%type%) to an argument of type %argumentType% */
  joinArgumentType: ({
    name,
    entity,
    field,
    type,
    argumentType,
  }: {
    name: Hole;
    entity: Hole;
    field: Hole;
    type: Hole;
    argumentType: Hole;
  }): Message =>
    message('join-argument-type', 'warning', [
      `remote relationship "${name}" of "${entity}" gives "${field}" (${type}) to an argument of type ${argumentType}`,
      'The remote schema will refuse it.',
    ]),
  /** "%name%" does not exist */
  joinColumnMissing: ({
    name,
    table,
    nearest,
  }: {
    name: Hole;
    table: Hole;
    nearest?: Hole | undefined;
  }): Message =>
    message('join-column-missing', 'error', [
      `"${name}" does not exist`,
      `Table ${table} has no such column.`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** field with name "%name%"is not provided by the lhs entity"%entity%"for defining a join condition, the allowed fields are %allowed% */
  joinFieldMissing: ({
    name,
    entity,
    allowed,
    nearest,
  }: {
    name: Hole;
    entity: Hole;
    allowed: Hole;
    nearest?: Hole | undefined;
  }): Message =>
    message('join-field-missing', 'error', [
      `field with name "${name}"is not provided by the lhs entity"${entity}"for defining a join condition, the allowed fields are ${allowed}`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** remote relationship "%name%" of "%entity%" is always null: no value of "%field%" (%type%) is one of "%column%" (%columnType%) */
  joinNeverEqual: ({
    name,
    entity,
    field,
    type,
    column,
    columnType,
  }: {
    name: Hole;
    entity: Hole;
    field: Hole;
    type: Hole;
    column: Hole;
    columnType: Hole;
  }): Message =>
    message('join-never-equal', 'warning', [
      `remote relationship "${name}" of "${entity}" is always null: no value of "${field}" (${type}) is one of "${column}" (${columnType})`,
      'Join columns of one type, or a column of texts.',
    ]),
  /** table %table% does not exist in source: %source% */
  joinTableMissing: ({
    table,
    source,
    nearest,
  }: {
    table: Hole;
    source: Hole;
    nearest?: Hole | undefined;
  }): Message =>
    message('join-table-missing', 'error', [
      `table ${table} does not exist in source: ${source}`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** Key "%name%" of table %table% is left out of on_conflict, because its name is not a valid GraphQL name. */
  keyNameLeftOut: ({ name, table, statement }: { name: Hole; table: Hole; statement: Hole }): Message =>
    message('key-name-left-out', 'warning', [
      `Key "${name}" of table ${table} is left out of on_conflict, because its name is not a valid GraphQL name.`,
      `To offer it: ${statement}`,
    ]),
  /** The configuration allows "%rule%", but nothing is reported there%place?%. */
  lintAllowanceUnused: ({ rule, place }: { rule: Hole; place?: Hole | undefined }): Message =>
    message('lint-allowance-unused', 'warning', [
      place === undefined
        ? undefined
        : `The configuration allows "${rule}", but nothing is reported there${place}.`,
      'Remove the entry, so that it does not hide a later finding.',
    ]),
  /** "%name%" is a literal: session variables begin with "%prefix%". */
  literalLikeSessionVariable: ({
    name,
    prefix,
    more,
    word,
  }: {
    name: Hole;
    prefix: Hole;
    more?: Hole | undefined;
    word: Hole;
  }): Message =>
    message('literal-like-session-variable', 'warning', [
      `"${name}" is a literal: session variables begin with "${prefix}".`,
      more === undefined ? undefined : `More literals with such names: ${more}.`,
      `If the metadata is that of an engine whose word is "${word}", give --vocabulary ${word}.`,
    ]),
  /** %reason% */
  literalMisfit: ({ reason }: { reason: Hole }): Message => message('literal-misfit', 'error', [`${reason}`]),
  /** %file% is not a metadata file and is ignored. */
  metadataFileIgnored: ({ file, nearest }: { file: Hole; nearest?: Hole | undefined }): Message =>
    message('metadata-file-ignored', 'warning', [
      `${file} is not a metadata file and is ignored.`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** Cannot read %file%: %reason%. */
  metadataFileUnreadable: ({ file, reason }: { file: Hole; reason: Hole }): Message =>
    message('metadata-file-unreadable', 'error', [`Cannot read ${file}: ${reason}.`]),
  /** The folder %folder% has no metadata: neither databases/databases.yaml nor another file of it. */
  metadataFolderEmpty: ({ folder }: { folder: Hole }): Message =>
    message('metadata-folder-empty', 'error', [
      `The folder ${folder} has no metadata: neither databases/databases.yaml nor another file of it.`,
      'Fetch it from a server with engine metadata export, or begin with version.yaml (version: 3) and databases/databases.yaml.',
    ]),
  /** This is not JSON: %reason%. */
  metadataJsonInvalid: ({ reason }: { reason: Hole }): Message =>
    message('metadata-json-invalid', 'error', [`This is not JSON: ${reason}.`]),
  /** %reason% */
  metadataValueInvalid: ({ reason }: { reason: Hole }): Message =>
    message('metadata-value-invalid', 'error', [`${reason}`]),
  /** Metadata of version %version% cannot be read here; version 3 can. */
  metadataVersionUnsupported: ({ version }: { version: Hole }): Message =>
    message('metadata-version-unsupported', 'error', [
      `Metadata of version ${version} cannot be read here; version 3 can.`,
    ]),
  /** This is not YAML: %reason%. */
  metadataYamlInvalid: ({ reason }: { reason: Hole }): Message =>
    message('metadata-yaml-invalid', 'error', [`This is not YAML: ${reason}.`]),
  /** %reason% */
  migrationFailed: ({ reason, advice }: { reason: Hole; advice?: Hole | undefined }): Message =>
    message('migration-failed', 'error', [`${reason}`, advice === undefined ? undefined : `${advice}`]),
  /** The folder %folder% holds no migrations. */
  migrationsEmpty: ({ folder }: { folder: Hole }): Message =>
    message('migrations-empty', 'error', [
      `The folder ${folder} holds no migrations.`,
      'Expected are <timestamp>_<name>/up.sql, or .sql files.',
    ]),
  /** There are no migrations for the source %source%: %folder% does not exist. */
  migrationsMissing: ({
    source,
    folder,
    nearest,
  }: {
    source: Hole;
    folder: Hole;
    nearest?: Hole | undefined;
  }): Message =>
    message('migrations-missing', 'error', [
      `There are no migrations for the source ${source}: ${folder} does not exist.`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** The REST endpoint "%endpoint%" runs the mutation %operation% by GET. */
  mutationByGet: ({ endpoint, operation }: { endpoint: Hole; operation: Hole }): Message =>
    message('mutation-by-get', 'warning', [
      `The REST endpoint "${endpoint}" runs the mutation ${operation} by GET.`,
      "Opening a link with the caller's cookies runs it; caches and previews may run it, too.",
      'Use POST, PUT, PATCH or DELETE.',
    ]),
  /** cannot include "%name%" in the GraphQL schema because %name% is not a valid GraphQL identifier */
  nameNotGraphql: ({ name }: { name: Hole }): Message =>
    message('name-not-graphql', 'error', [
      `cannot include "${name}" in the GraphQL schema because ${name} is not a valid GraphQL identifier`,
    ]),
  /** The naming convention "%convention%" of source "%source%" has no effect, because the feature naming_convention is not enabled. */
  namingConventionIgnored: ({
    convention,
    source,
    variable,
  }: {
    convention: Hole;
    source: Hole;
    variable: Hole;
  }): Message =>
    message('naming-convention-ignored', 'warning', [
      `The naming convention "${convention}" of source "${source}" has no effect, because the feature naming_convention is not enabled.`,
      `Enable it with ${variable}=naming_convention.`,
    ]),
  /** %kind% %name% is kept in the metadata but not served yet. */
  notServedYet: ({ kind, name }: { kind: Hole; name: Hole }): Message =>
    message('not-served-yet', 'warning', [`${kind} ${name} is kept in the metadata but not served yet.`]),
  /** field '%cast%' not found in type: '%type%_cast_exp' */
  operatorCastUnknown: ({ cast, type }: { cast: Hole; type: Hole }): Message =>
    message('operator-cast-unknown', 'error', [`field '${cast}' not found in type: '${type}_cast_exp'`]),
  /** "%column%" is of type "%type%"; this operator works only on columns of type %expected% */
  operatorMisplaced: ({ column, type, expected }: { column: Hole; type: Hole; expected: Hole }): Message =>
    message('operator-misplaced', 'error', [
      `"${column}" is of type "${type}"; this operator works only on columns of type ${expected}`,
    ]),
  /** Unknown operator: %operator% */
  operatorUnknown: ({ operator, nearest }: { operator: Hole; nearest?: Hole | undefined }): Message =>
    message('operator-unknown', 'error', [
      `Unknown operator: ${operator}`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** One branch of an _or in the row rule of role "%role%" for %operation% on table %table% is tied to the session and another is not. */
  orBranchWithoutSession: ({
    role,
    operation,
    table,
    branch,
  }: {
    role: Hole;
    operation: Hole;
    table: Hole;
    branch: Hole;
  }): Message =>
    message('or-branch-without-session', 'warning', [
      `One branch of an _or in the row rule of role "${role}" for ${operation} on table ${table} is tied to the session and another is not.`,
      `Every caller gets the rows of this branch: ${branch}`,
      "Unless the rows are for every caller, add the session's condition to that branch or beside the _or.",
    ]),
  /** Role "%role%" may insert column "%column%" of table %table%, which identifies the owner of a row (%rule%), and neither a preset nor the check binds it to the session. */
  ownerCanBeChosen: ({
    role,
    column,
    table,
    rule,
    variable,
  }: {
    role: Hole;
    column: Hole;
    table: Hole;
    rule: Hole;
    variable: Hole;
  }): Message =>
    message('owner-can-be-chosen', 'warning', [
      `Role "${role}" may insert column "${column}" of table ${table}, which identifies the owner of a row (${rule}), and neither a preset nor the check binds it to the session.`,
      'A row can be created in the name of another user.',
      `Set the column by a preset ("${column}": "${variable}") and take it out of the columns, or put it into the check.`,
    ]),
  /** Event trigger "%name%" sends columns of table %table% that no role may read: %columns%. */
  payloadColumnUnreadable: ({ name, table, columns }: { name: Hole; table: Hole; columns: Hole }): Message =>
    message('payload-column-unreadable', 'warning', [
      `Event trigger "${name}" sends columns of table ${table} that no role may read: ${columns}.`,
      'Name the columns to send in "payload".',
    ]),
  /** expecting a database column; but, "%name%" is a relationship; permissions for relationships are automatically inferred */
  permissionColumnIsRelationship: ({ name }: { name: Hole }): Message =>
    message('permission-column-is-relationship', 'error', [
      `expecting a database column; but, "${name}" is a relationship; permissions for relationships are automatically inferred`,
    ]),
  /** column "%column%" does not exist */
  permissionColumnMissing: ({ column, nearest }: { column: Hole; nearest?: Hole | undefined }): Message =>
    message('permission-column-missing', 'error', [
      `column "${column}" does not exist`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** Column "%column%" is not %able% and so cannot have %operation% permissions defined */
  permissionColumnNotWritable: ({
    column,
    able,
    operation,
  }: {
    column: Hole;
    able: Hole;
    operation: Hole;
  }): Message =>
    message('permission-column-not-writable', 'error', [
      `Column "${column}" is not ${able} and so cannot have ${operation} permissions defined`,
    ]),
  /** computed field "%field%" does not exist */
  permissionComputedFieldMissing: ({
    field,
    nearest,
  }: {
    field: Hole;
    nearest?: Hole | undefined;
  }): Message =>
    message('permission-computed-field-missing', 'error', [
      `computed field "${field}" does not exist`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** select permissions on computed field "%field%" are auto-derived from the permissions on its returning table %table% and cannot be specified manually */
  permissionComputedFieldReturnsTable: ({ field, table }: { field: Hole; table: Hole }): Message =>
    message('permission-computed-field-returns-table', 'error', [
      `select permissions on computed field "${field}" are auto-derived from the permissions on its returning table ${table} and cannot be specified manually`,
    ]),
  /** cannot define permission for admin role */
  permissionForAdmin: (): Message =>
    message('permission-for-admin', 'error', ['cannot define permission for admin role']),
  /** unexpected negative value */
  permissionLimitNegative: (): Message =>
    message('permission-limit-negative', 'error', ['unexpected negative value']),
  /** "check_message" needs "check" */
  permissionMessageWithoutCheck: (): Message =>
    message('permission-message-without-check', 'error', ['"check_message" needs "check"']),
  /** The "select_aggregate" root field can only be enabled in the %list% when "allow_aggregations" is set to true */
  permissionRootAggregate: ({ list }: { list: Hole }): Message =>
    message('permission-root-aggregate', 'error', [
      `The "select_aggregate" root field can only be enabled in the ${list} when "allow_aggregations" is set to true`,
    ]),
  /** The "select_by_pk" field cannot be included in the %list% because the role "%role%" does not have access to the primary key of the table "%table%" in the source %source% */
  permissionRootByKey: ({
    list,
    role,
    table,
    source,
  }: {
    list: Hole;
    role: Hole;
    table: Hole;
    source: Hole;
  }): Message =>
    message('permission-root-by-key', 'error', [
      `The "select_by_pk" field cannot be included in the ${list} because the role "${role}" does not have access to the primary key of the table "${table}" in the source ${source}`,
    ]),
  /** Row security of %what% is disabled, so its policies hide no row: %names%. */
  policiesDisabled: ({ what, names }: { what: Hole; names: Hole }): Message =>
    message('policies-disabled', 'warning', [
      `Row security of ${what} is disabled, so its policies hide no row: ${names}.`,
      'Enable it (alter table … enable row level security), drop the policies, or allow the finding.',
    ]),
  /** Role "%role%" sets column "%column%" of table %table% to a literal by a preset, while its rule for %other% compares the column with %variable%. */
  presetIsLiteral: ({
    role,
    column,
    table,
    other,
    variable,
  }: {
    role: Hole;
    column: Hole;
    table: Hole;
    other: Hole;
    variable: Hole;
  }): Message =>
    message('preset-is-literal', 'warning', [
      `Role "${role}" sets column "${column}" of table ${table} to a literal by a preset, while its rule for ${other} compares the column with ${variable}.`,
      'Every row is written for the same owner.',
      'Take the value from the session, or allow it on purpose.',
    ]),
  /** Role "%role%" may %operation% %columns% of table %table%, which refers to %target%, and no check ties the row of %target% to the session. */
  referenceCanLeave: ({
    role,
    operation,
    columns,
    table,
    target,
  }: {
    role: Hole;
    operation: Hole;
    columns: Hole;
    table: Hole;
    target: Hole;
  }): Message =>
    message('reference-can-leave', 'warning', [
      `Role "${role}" may ${operation} ${columns} of table ${table}, which refers to ${target}, and no check ties the row of ${target} to the session.`,
      'The row can be made to refer to a row of another user or tenant, and rules that follow the reference then answer wrongly.',
      'Write a check on the relationship, or allow it on purpose.',
    ]),
  /** the native query "%name%" has no argument "%argument%" */
  relationshipArgumentMissing: ({
    name,
    argument,
    nearest,
  }: {
    name: Hole;
    argument: Hole;
    nearest?: Hole | undefined;
  }): Message =>
    message('relationship-argument-missing', 'error', [
      `the native query "${name}" has no argument "${argument}"`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** the argument "%argument%" of the native query "%name%" is of type %type%, the column "%column%" of type %columnType% */
  relationshipArgumentType: ({
    argument,
    name,
    type,
    column,
    columnType,
  }: {
    argument: Hole;
    name: Hole;
    type: Hole;
    column: Hole;
    columnType: Hole;
  }): Message =>
    message('relationship-argument-type', 'error', [
      `the argument "${argument}" of the native query "${name}" is of type ${type}, the column "${column}" of type ${columnType}`,
    ]),
  /** table %table% has no field named "%column%" */
  relationshipFieldMissing: ({
    table,
    column,
    nearest,
  }: {
    table: Hole;
    column: Hole;
    nearest?: Hole | undefined;
  }): Message =>
    message('relationship-field-missing', 'error', [
      `table ${table} has no field named "${column}"`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** Object relationship "%relationship%" of table %table% may find several rows of %target%, because %because%. */
  relationshipNotSingle: ({
    relationship,
    table,
    target,
    because,
  }: {
    relationship: Hole;
    table: Hole;
    target: Hole;
    because: Hole;
  }): Message =>
    message('relationship-not-single', 'warning', [
      `Object relationship "${relationship}" of table ${table} may find several rows of ${target}, because ${because}.`,
    ]),
  /** there is no native query "%name%" in the source */
  relationshipQueryMissing: ({ name }: { name: Hole }): Message =>
    message('relationship-query-missing', 'error', [`there is no native query "${name}" in the source`]),
  /** the native query "%name%" may write, which a relationship would do for each row */
  relationshipQueryVolatile: ({ name }: { name: Hole }): Message =>
    message('relationship-query-volatile', 'error', [
      `the native query "${name}" may write, which a relationship would do for each row`,
    ]),
  /** Duplicate remote field '%field%' */
  remoteFieldConflict: ({ field, owner }: { field: Hole; owner: Hole }): Message =>
    message('remote-field-conflict', 'error', [
      `Duplicate remote field '${field}'`,
      `${owner} has a root field of this name already: give the remote schema a namespace, or rename the field.`,
    ]),
  /** in remote schema permission for role "%role%": %reason% */
  remotePermissionInvalid: ({ role, reason }: { role: Hole; reason: Hole }): Message =>
    message('remote-permission-invalid', 'error', [
      `in remote schema permission for role "${role}": ${reason}`,
    ]),
  /** Could not inherit permission for the role '%role%' for the entity: 'remote schema: '%name%'' */
  remotePermissionNotInherited: ({ role, name }: { role: Hole; name: Hole }): Message =>
    message('remote-permission-not-inherited', 'error', [
      `Could not inherit permission for the role '${role}' for the entity: 'remote schema: '${name}''`,
    ]),
  /** Role "%role%" may choose "%name%" at %place% of remote schema "%remote%", which is preset with %variable% at %other%. */
  remotePresetLost: ({
    role,
    name,
    place,
    remote,
    variable,
    other,
  }: {
    role: Hole;
    name: Hole;
    place: Hole;
    remote: Hole;
    variable: Hole;
    other: Hole;
  }): Message =>
    message('remote-preset-lost', 'warning', [
      `Role "${role}" may choose "${name}" at ${place} of remote schema "${remote}", which is preset with ${variable} at ${other}.`,
      `Write @preset(value: "${variable}") there as well, or allow it with a reason.`,
    ]),
  /** remote schema "%name%" gets no preset of role "%role%" for %presets% when a client leaves out %place% or sends null */
  remotePresetSkipped: ({
    name,
    role,
    presets,
    place,
  }: {
    name: Hole;
    role: Hole;
    presets: Hole;
    place: Hole;
  }): Message =>
    message('remote-preset-skipped', 'warning', [
      `remote schema "${name}" gets no preset of role "${role}" for ${presets} when a client leaves out ${place} or sends null`,
      `Preset ${place} itself, or have the remote schema require it.`,
    ]),
  /** %reason% */
  remoteRelationshipInvalid: ({ reason }: { reason: Hole }): Message =>
    message('remote-relationship-invalid', 'error', [`${reason}`]),
  /** %reason% */
  remoteSchemaInvalid: ({ reason }: { reason: Hole }): Message =>
    message('remote-schema-invalid', 'error', [`${reason}`]),
  /** remote schema with name "%name%" not found */
  remoteSchemaMissing: ({ name }: { name: Hole }): Message =>
    message('remote-schema-missing', 'error', [`remote schema with name "${name}" not found`]),
  /** remote schema "%name%" is inconsistent because of stale remote schema introspection is used. The remote schema couldn't be reached for a fresh introspection because we got error: %reason% */
  remoteSchemaStale: ({ name, reason }: { name: Hole; reason: Hole }): Message =>
    message('remote-schema-stale', 'error', [
      `remote schema "${name}" is inconsistent because of stale remote schema introspection is used. The remote schema couldn't be reached for a fresh introspection because we got error: ${reason}`,
    ]),
  /** %reason% */
  remoteSchemaUnreachable: ({ reason }: { reason: Hole }): Message =>
    message('remote-schema-unreachable', 'error', [`${reason}`]),
  /** Found conflicting definitions for "%type%": %owner% defines it otherwise */
  remoteTypeConflict: ({ type, owner }: { type: Hole; owner: Hole }): Message =>
    message('remote-type-conflict', 'error', [
      `Found conflicting definitions for "${type}": ${owner} defines it otherwise`,
      'Give the types of the remote schema a prefix, a suffix or names of their own.',
    ]),
  /** no type named "%type%" defined in remote schema "%name%" */
  remoteTypeMissing: ({ type, name }: { type: Hole; name: Hole }): Message =>
    message('remote-type-missing', 'error', [`no type named "${type}" defined in remote schema "${name}"`]),
  /** remote relationships on a remote schema can only be defined on object types */
  remoteTypeNotObject: (): Message =>
    message('remote-type-not-object', 'error', [
      'remote relationships on a remote schema can only be defined on object types',
    ]),
  /** Role "%role%" has this permission for %operation% on table %table% and no other, and its name is near that of role "%nearest%". */
  roleUsedOnce: ({
    role,
    operation,
    table,
    nearest,
  }: {
    role: Hole;
    operation: Hole;
    table: Hole;
    nearest: Hole;
  }): Message =>
    message('role-used-once', 'warning', [
      `Role "${role}" has this permission for ${operation} on table ${table} and no other, and its name is near that of role "${nearest}".`,
      'Correct the name if it is misspelt, or allow it on purpose.',
    ]),
  /** Encountered conflicting definitions in the selection set for '%root%' for field '%field%' defined in [%first%, %second%]. Fields must not be defined more than once across all sources. */
  rootFieldConflict: ({
    root,
    field,
    first,
    second,
  }: {
    root: Hole;
    field: Hole;
    first: Hole;
    second: Hole;
  }): Message =>
    message('root-field-conflict', 'error', [
      `Encountered conflicting definitions in the selection set for '${root}' for field '${field}' defined in [${first}, ${second}]. Fields must not be defined more than once across all sources.`,
    ]),
  /** Role "%role%" may update column "%column%" of table %table%, on which its row rule depends, and no check binds the new value to the session. */
  rowCanBeGivenAway: ({ role, column, table }: { role: Hole; column: Hole; table: Hole }): Message =>
    message('row-can-be-given-away', 'warning', [
      `Role "${role}" may update column "${column}" of table ${table}, on which its row rule depends, and no check binds the new value to the session.`,
      'A row can be given to another user, or moved into another tenant.',
      'Take the column out of the permission, set it by a preset, or write a check.',
    ]),
  /** The rule of role "%role%" for %operation% on table %table% can raise an error for a row: %parts%. */
  ruleCanFail: ({
    role,
    operation,
    table,
    parts,
  }: {
    role: Hole;
    operation: Hole;
    table: Hole;
    parts: Hole;
  }): Message =>
    message('rule-can-fail', 'warning', [
      `The rule of role "${role}" for ${operation} on table ${table} can raise an error for a row: ${parts}.`,
      'A client that reaches hidden rows one by one learns from the errors what they hold.',
      'Compare with operators that fail for no value, or move the computation into a generated column.',
    ]),
  /** A row rule (role "%role%", %operation%) searches %target% by column "%column%", and no index begins with that column.%more% */
  ruleColumnWithoutIndex: ({
    role,
    operation,
    target,
    column,
    more,
  }: {
    role: Hole;
    operation: Hole;
    target: Hole;
    column: Hole;
    more: Hole;
  }): Message =>
    message('rule-column-without-index', 'warning', [
      `A row rule (role "${role}", ${operation}) searches ${target} by column "${column}", and no index begins with that column.${more}`,
      `Every request with this rule reads the whole table. Create an index: create index on ${target} (${column})`,
    ]),
  /** The rule of role "%role%" for %operation% on table %table% looks like a condition, but is true for every row. */
  ruleIsAlwaysTrue: ({ role, operation, table }: { role: Hole; operation: Hole; table: Hole }): Message =>
    message('rule-is-always-true', 'warning', [
      `The rule of role "${role}" for ${operation} on table ${table} looks like a condition, but is true for every row.`,
      'Write {} if every row is meant.',
    ]),
  /** The rule of role "%role%" for %operation% on table %table% is false for every row. */
  ruleIsNeverTrue: ({ role, operation, table }: { role: Hole; operation: Hole; table: Hole }): Message =>
    message('rule-is-never-true', 'warning', [
      `The rule of role "${role}" for ${operation} on table ${table} is false for every row.`,
      'Remove the permission, or correct the rule.',
    ]),
  /** The rule of role "%role%" for %operation% on table %table% has no session variable, while other rules on the table have one. */
  ruleWithoutSession: ({ role, operation, table }: { role: Hole; operation: Hole; table: Hole }): Message =>
    message('rule-without-session', 'warning', [
      `The rule of role "${role}" for ${operation} on table ${table} has no session variable, while other rules on the table have one.`,
      'Every caller with the role gets these rows, including those of other users.',
      "Put the session's condition into the rule, or allow it on purpose.",
    ]),
  /** In query collection "%collection%" the query "%query%" is invalid with the following error(s): %error%%uses% */
  savedQueryInvalid: ({
    collection,
    query,
    error,
    uses,
  }: {
    collection: Hole;
    query: Hole;
    error: Hole;
    uses: Hole;
  }): Message =>
    message('saved-query-invalid', 'error', [
      `In query collection "${collection}" the query "${query}" is invalid with the following error(s): ${error}${uses}`,
    ]),
  /** In query collection "%collection%" the query "%query%" cannot be run: %error%. */
  savedQueryRefused: ({
    collection,
    query,
    error,
  }: {
    collection: Hole;
    query: Hole;
    error: Hole;
  }): Message =>
    message('saved-query-refused', 'warning', [
      `In query collection "${collection}" the query "${query}" cannot be run: ${error}.`,
    ]),
  /** In query collection "%collection%" the query "%query%" has the size %size%, which api_limits.%limit% refuses to the roles %roles%. */
  savedQueryTooLarge: ({
    collection,
    query,
    size,
    limit,
    roles,
  }: {
    collection: Hole;
    query: Hole;
    size: Hole;
    limit: Hole;
    roles: Hole;
  }): Message =>
    message('saved-query-too-large', 'warning', [
      `In query collection "${collection}" the query "${query}" has the size ${size}, which api_limits.${limit} refuses to the roles ${roles}.`,
    ]),
  /** Role "%role%" may read column "%column%" of table %table%, whose name is that of a secret. */
  secretColumnGranted: ({ role, column, table }: { role: Hole; column: Hole; table: Hole }): Message =>
    message('secret-column-granted', 'warning', [
      `Role "${role}" may read column "${column}" of table ${table}, whose name is that of a secret.`,
      'Take it out of the permission, or allow it on purpose.',
    ]),
  /** "%name%" is a session variable of another vocabulary; this one's begin with "%prefix%" */
  sessionVariableForeign: ({ name, prefix }: { name: Hole; prefix: Hole }): Message =>
    message('session-variable-foreign', 'error', [
      `"${name}" is a session variable of another vocabulary; this one's begin with "${prefix}"`,
    ]),
  /** The event trigger "%name%" is on %table%, where a Citus cluster refuses database triggers. */
  shardsEventTrigger: ({ name, table }: { name: Hole; table: Hole }): Message =>
    message('shards-event-trigger', 'error', [
      `The event trigger "${name}" is on ${table}, where a Citus cluster refuses database triggers.`,
    ]),
  /** The function %name% can be called only where nothing else is asked of the cluster: %why%. */
  shardsFunctionAlone: ({ name, why }: { name: Hole; why: Hole }): Message =>
    message('shards-function-alone', 'warning', [
      `The function ${name} can be called only where nothing else is asked of the cluster: ${why}.`,
    ]),
  /** The function %name% cannot be called on a cluster: %why%. */
  shardsFunctionReads: ({ name, why }: { name: Hole; why: Hole }): Message =>
    message('shards-function-reads', 'warning', [
      `The function ${name} cannot be called on a cluster: ${why}.`,
    ]),
  /** The relationship "%name%" of the distributed table %table% does not join the distribution columns: %pairs%. */
  shardsRelationshipApart: ({ name, table, pairs }: { name: Hole; table: Hole; pairs: Hole }): Message =>
    message('shards-relationship-apart', 'warning', [
      `The relationship "${name}" of the distributed table ${table} does not join the distribution columns: ${pairs}.`,
    ]),
  /** The %operation% permission of role "%role%" on the distributed table %table% looks at other tables. */
  shardsRuleSubquery: ({ operation, role, table }: { operation: Hole; role: Hole; table: Hole }): Message =>
    message('shards-rule-subquery', 'warning', [
      `The ${operation} permission of role "${role}" on the distributed table ${table} looks at other tables.`,
    ]),
  /** The %operation% permission of role "%role%" on the distributed table %table% does not fix the distribution column "%column%" to one value. */
  shardsRuleWithoutValue: ({
    operation,
    role,
    table,
    column,
  }: {
    operation: Hole;
    role: Hole;
    table: Hole;
    column: Hole;
  }): Message =>
    message('shards-rule-without-value', 'warning', [
      `The ${operation} permission of role "${role}" on the distributed table ${table} does not fix the distribution column "${column}" to one value.`,
    ]),
  /** Source "%source%" is of kind "%kind%"; only "postgres" can be served. */
  sourceKindUnsupported: ({ source, kind }: { source: Hole; kind: Hole }): Message =>
    message('source-kind-unsupported', 'error', [
      `Source "${source}" is of kind "${kind}"; only "postgres" can be served.`,
    ]),
  /** source not found: "%name%" */
  sourceMissing: ({ name }: { name: Hole }): Message =>
    message('source-missing', 'error', [`source not found: "${name}"`]),
  /** The database of source "%source%" is %product%, on which Engine is not tested. */
  sourceOtherDatabase: ({ source, product }: { source: Hole; product: Hole }): Message =>
    message('source-other-database', 'warning', [
      `The database of source "${source}" is ${product}, on which Engine is not tested.`,
    ]),
  /** connection error */
  sourceUnreachable: ({ reason, source }: { reason: Hole; source: Hole }): Message =>
    message('source-unreachable', 'error', [
      'connection error',
      `${reason}`,
      `Give its address (--source ${source}=URL), the SQL that makes it (--migrations FOLDER), or a saved catalog (--catalog FILE).`,
    ]),
  /** PostgreSQL refuses %what%: %reason%. */
  sqlRefused: ({
    what,
    reason,
    detail,
    excerpt,
  }: {
    what: Hole;
    reason: Hole;
    detail?: Hole | undefined;
    excerpt?: Hole | undefined;
  }): Message =>
    message('sql-refused', 'error', [
      `PostgreSQL refuses ${what}: ${reason}.`,
      detail === undefined ? undefined : `${detail}`,
      excerpt === undefined ? undefined : `in ${excerpt}`,
      'A server lists the object as consistent, and every request that needs the text fails.',
    ]),
  /** unexpected keys when parsing TableMetadata: [%keys%] */
  tableKeysUnexpected: ({ keys, nearest }: { keys: Hole; nearest?: Hole | undefined }): Message =>
    message('table-keys-unexpected', 'error', [
      `unexpected keys when parsing TableMetadata: [${keys}]`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** no such table/view exists in source: %table% */
  tableNotInDatabase: ({ table, nearest }: { table: Hole; nearest?: Hole | undefined }): Message =>
    message('table-not-in-database', 'error', [
      `no such table/view exists in source: ${table}`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** table %table% is not tracked */
  tableNotTracked: ({
    table,
    nearest,
    advice,
  }: {
    table: Hole;
    nearest?: Hole | undefined;
    advice?: Hole | undefined;
  }): Message =>
    message('table-not-tracked', 'error', [
      `table ${table} is not tracked`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
      advice === undefined ? undefined : `${advice}`,
    ]),
  /** %place%: %problem% */
  transformInvalid: ({ place, problem }: { place: Hole; problem: Hole }): Message =>
    message('transform-invalid', 'error', [`${place}: ${problem}`]),
  /** the GraphQL type name "%type%" of %owner% is taken by %other% */
  typeNameConflict: ({ type, owner, other }: { type: Hole; owner: Hole; other: Hole }): Message =>
    message('type-name-conflict', 'error', [
      `the GraphQL type name "${type}" of ${owner} is taken by ${other}`,
    ]),
  /** Unknown key "%key%" is ignored. */
  unknownKey: ({ key, nearest }: { key: Hole; nearest?: Hole | undefined }): Message =>
    message('unknown-key', 'warning', [
      `Unknown key "${key}" is ignored.`,
      nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    ]),
  /** The rule of role "%role%" for %operation% on table %table% needs the session variable %variable%, which no claim supplies. */
  variableNotSupplied: ({
    role,
    operation,
    table,
    variable,
    nearest,
  }: {
    role: Hole;
    operation: Hole;
    table: Hole;
    variable: Hole;
    nearest?: Hole | undefined;
  }): Message =>
    message('variable-not-supplied', 'warning', [
      `The rule of role "${role}" for ${operation} on table ${table} needs the session variable ${variable}, which no claim supplies.`,
      nearest === undefined ? undefined : `Did you mean ${nearest}?`,
      "Correct the name, or add it to session_variables of the lint's configuration.",
    ]),
  /** Role "%role%" reads the view %view%, whose query calls %functions%. */
  viewOverFunction: ({ role, view, functions }: { role: Hole; view: Hole; functions: Hole }): Message =>
    message('view-over-function', 'warning', [
      `Role "${role}" reads the view ${view}, whose query calls ${functions}.`,
      'PostgreSQL does not record what a function reads: the view may show anything.',
      'Read the functions, and allow the finding if they show what the role may see.',
    ]),
  /** Role "%role%" reads table %table% with a row rule that uses session variables, but the view %view%, which shows columns of that table, without one. */
  viewWithoutRowRule: ({ role, table, view }: { role: Hole; table: Hole; view: Hole }): Message =>
    message('view-without-row-rule', 'warning', [
      `Role "${role}" reads table ${table} with a row rule that uses session variables, but the view ${view}, which shows columns of that table, without one.`,
      'Every caller sees all rows of the view, including those of other users.',
      'Give the permission on the view a row rule of its own.',
    ]),
  /** The address of %what% is written in the metadata: %host%. */
  webhookIsLiteral: ({ what, host }: { what: Hole; host: Hole }): Message =>
    message('webhook-is-literal', 'warning', [
      `The address of ${what} is written in the metadata: ${host}.`,
      'Another environment calls the same host with its data. Put the address into an environment variable, and name that.',
    ]),
  /** Role "%role%" may not read table %table%, but reads %computed% of the view %view%, whose query looks at every column of it. */
  wholeRowComputedByView: ({
    role,
    table,
    computed,
    view,
  }: {
    role: Hole;
    table: Hole;
    computed: Hole;
    view: Hole;
  }): Message =>
    message('whole-row-computed-by-view', 'warning', [
      `Role "${role}" may not read table ${table}, but reads ${computed} of the view ${view}, whose query looks at every column of it.`,
      'Rows as a whole, such as to_jsonb(row) or json_agg(row), show columns that are added later, too.',
      'Name the columns in the query of the view, or allow the finding.',
    ]),
  /** Only table columns can have %operation% permissions defined, "%name%" is not a column */
  writePermissionColumnIsRelationship: ({ operation, name }: { operation: Hole; name: Hole }): Message =>
    message('write-permission-column-is-relationship', 'error', [
      `Only table columns can have ${operation} permissions defined, "${name}" is not a column`,
    ]),
  /** Role "%role%" may %operation% rows of table %table% that it may not read: its rule for %operation% has no session variable, its rule for select has one. */
  writeWiderThanRead: ({ role, operation, table }: { role: Hole; operation: Hole; table: Hole }): Message =>
    message('write-wider-than-read', 'warning', [
      `Role "${role}" may ${operation} rows of table ${table} that it may not read: its rule for ${operation} has no session variable, its rule for select has one.`,
      '`returning` shows the rows that a mutation wrote.',
      'Use the row rule of the select permission for this operation as well.',
    ]),
} as const;

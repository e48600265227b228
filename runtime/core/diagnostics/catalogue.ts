// Generated from messages/ by `npm run generate:diagnostics`; do not edit.

import type { Message } from './diagnostic.ts';

/** Parameters of a message. A line with an optional one is left out where it is not given. */
type Holes<Name extends string, Optional extends string = never> = Readonly<
  Record<Name, string | number> & Partial<Record<Optional, string | number | undefined>>
>;

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
  actionArgumentTypeUnknown: (given: Holes<'name'>) =>
    message('action-argument-type-unknown', 'error', [
      `the type: "${given.name}" is not defined in custom types or it is not a scalar/enum/input_object`,
    ]),
  /** action %action% is not present in actions.graphql */
  actionNotInSdl: (given: Holes<'action', 'nearest'>) =>
    message('action-not-in-sdl', 'error', [
      `action ${given.action} is not present in actions.graphql`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** the type: "%name%" is not an object or scalar type defined in custom types */
  actionOutputTypeUnknown: (given: Holes<'name'>) =>
    message('action-output-type-unknown', 'error', [
      `the type: "${given.name}" is not an object or scalar type defined in custom types`,
    ]),
  /** Object relationship "%relationship%" of object type "%type%" finds one row of several: its columns of table %table% are not unique. */
  actionRelationshipNotUnique: (given: Holes<'relationship' | 'type' | 'table'>) =>
    message('action-relationship-not-unique', 'warning', [
      `Object relationship "${given.relationship}" of object type "${given.type}" finds one row of several: its columns of table ${given.table} are not unique.`,
    ]),
  /** Relationship "%relationship%" of object type "%type%" compares texts: field "%field%" has type %given%, column "%column%" of table %table% %wanted%. */
  actionRelationshipTypes: (
    given: Holes<'relationship' | 'type' | 'field' | 'given' | 'column' | 'table' | 'wanted'>,
  ) =>
    message('action-relationship-types', 'warning', [
      `Relationship "${given.relationship}" of object type "${given.type}" compares texts: field "${given.field}" has type ${given.given}, column "${given.column}" of table ${given.table} ${given.wanted}.`,
    ]),
  /** The %construct% %name% in actions.graphql is ignored: actions have no %construct%s. */
  actionSdlIgnored: (given: Holes<'construct' | 'name'>) =>
    message('action-sdl-ignored', 'warning', [
      `The ${given.construct} ${given.name} in actions.graphql is ignored: actions have no ${given.construct}s.`,
    ]),
  /** %transform% of action "%action%": %reason% */
  actionTemplateLookup: (given: Holes<'transform' | 'action' | 'reason'>) =>
    message('action-template-lookup', 'warning', [
      `${given.transform} of action "${given.action}": ${given.reason}`,
    ]),
  /** %transform%: %reasons% */
  actionTransformInvalid: (given: Holes<'transform' | 'reasons'>) =>
    message('action-transform-invalid', 'error', [`${given.transform}: ${given.reasons}`]),
  /** actions.graphql is not a GraphQL document: %reason%. */
  actionsSdlInvalid: (given: Holes<'reason'>) =>
    message('actions-sdl-invalid', 'error', [`actions.graphql is not a GraphQL document: ${given.reason}.`]),
  /** Role "%role%" may order by aggregates of related rows that it may not aggregate, of these tables: %tables%. */
  aggregatesReadableByOrder: (given: Holes<'role' | 'tables'>) =>
    message('aggregates-readable-by-order', 'warning', [
      `Role "${given.role}" may order by aggregates of related rows that it may not aggregate, of these tables: ${given.tables}.`,
      'Set allow_aggregations where that is meant, start the server with --restrict-aggregate-order, or allow it on purpose.',
    ]),
  /** Role "%role%" may %operation% all columns ("*") of table %table%, including columns that are added to the table later. */
  allColumnsGranted: (given: Holes<'role' | 'operation' | 'table'>) =>
    message('all-columns-granted', 'warning', [
      `Role "${given.role}" may ${given.operation} all columns ("*") of table ${given.table}, including columns that are added to the table later.`,
      'Name the columns.',
    ]),
  /** The allow-list lets every role send the query "%query%" of collection "%collection%", but no role may run it. Role "%role%": %error%.%rule% */
  allowedQueryForNobody: (given: Holes<'query' | 'collection' | 'role' | 'error' | 'rule'>) =>
    message('allowed-query-for-nobody', 'warning', [
      `The allow-list lets every role send the query "${given.query}" of collection "${given.collection}", but no role may run it. Role "${given.role}": ${given.error}.${given.rule}`,
    ]),
  /** The allow-list lets role "%role%" send the query "%query%" of collection "%collection%", but the role may not run it: %error%.%rule% */
  allowedQueryRefused: (given: Holes<'role' | 'query' | 'collection' | 'error' | 'rule'>) =>
    message('allowed-query-refused', 'warning', [
      `The allow-list lets role "${given.role}" send the query "${given.query}" of collection "${given.collection}", but the role may not run it: ${given.error}.${given.rule}`,
    ]),
  /** Async action relations cannot be used with object fields: %fields% */
  asyncActionRelationshipsNested: (given: Holes<'fields'>) =>
    message('async-action-relationships-nested', 'error', [
      `Async action relations cannot be used with object fields: ${given.fields}`,
    ]),
  /** The rule of role "%role%" for %operation% on table %table% compares column "%column%" with itself. */
  columnComparedWithItself: (given: Holes<'role' | 'operation' | 'table' | 'column'>) =>
    message('column-compared-with-itself', 'warning', [
      `The rule of role "${given.role}" for ${given.operation} on table ${given.table} compares column "${given.column}" with itself.`,
      'It holds for every row in which the column is not null.',
      'Compare it with a session variable or another column, or write {"_is_null": false}.',
    ]),
  /** configuration was given for the column "%column%", but no such column exists */
  columnConfigurationWithoutColumn: (given: Holes<'column', 'nearest'>) =>
    message('column-configuration-without-column', 'error', [
      `configuration was given for the column "${given.column}", but no such column exists`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** the definitions of columns "%first%" and "%second%" are in conflict: they are mapped to the same field name, "%field%" */
  columnFieldsConflict: (given: Holes<'first' | 'second' | 'field'>) =>
    message('column-fields-conflict', 'error', [
      `the definitions of columns "${given.first}" and "${given.second}" are in conflict: they are mapped to the same field name, "${given.field}"`,
    ]),
  /** Column "%column%" of table %table% is left out of the GraphQL schema, because its name is not a valid GraphQL name. */
  columnNameLeftOut: (given: Holes<'column' | 'table'>) =>
    message('column-name-left-out', 'warning', [
      `Column "${given.column}" of table ${given.table} is left out of the GraphQL schema, because its name is not a valid GraphQL name.`,
      'Give it a custom name in configuration.column_config.',
    ]),
  /** incompatible column types: "%left%" has type "%leftType%", but "%right%" has type "%rightType%" */
  columnsIncomparable: (given: Holes<'left' | 'leftType' | 'right' | 'rightType'>) =>
    message('columns-incomparable', 'error', [
      `incompatible column types: "${given.left}" has type "${given.leftType}", but "${given.right}" has type "${given.rightType}"`,
    ]),
  /** the computed field "%field%" cannot be added to table %table% %reasons% */
  computedFieldInvalid: (given: Holes<'field' | 'table' | 'reasons'>) =>
    message('computed-field-invalid', 'error', [
      `the computed field "${given.field}" cannot be added to table ${given.table} ${given.reasons}`,
    ]),
  /** The header "%header%" of %what% has its value in the metadata. */
  credentialInMetadata: (given: Holes<'header' | 'what'>) =>
    message('credential-in-metadata', 'warning', [
      `The header "${given.header}" of ${given.what} has its value in the metadata.`,
      'Generated files and artefacts hold it, too. Put the value into an environment variable and name that in value_from_env.',
    ]),
  /** custom type %type% is not present in actions.graphql */
  customTypeNotInSdl: (given: Holes<'type', 'nearest'>) =>
    message('custom-type-not-in-sdl', 'error', [
      `custom type ${given.type} is not present in actions.graphql`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** custom types are inconsistent */
  customTypesInconsistent: () =>
    message('custom-types-inconsistent', 'error', ['custom types are inconsistent']),
  /** validation for the given custom types failed %reasons% */
  customTypesInvalid: (given: Holes<'reasons'>) =>
    message('custom-types-invalid', 'error', [
      `validation for the given custom types failed ${given.reasons}`,
    ]),
  /** Role "%role%" may %operation% rows of table %table% without a check that has session variables, and the row rules of %users% look for rows of it. */
  decidingTableWritable: (given: Holes<'role' | 'operation' | 'table' | 'users'>) =>
    message('deciding-table-writable', 'warning', [
      `Role "${given.role}" may ${given.operation} rows of table ${given.table} without a check that has session variables, and the row rules of ${given.users} look for rows of it.`,
      'A caller who writes such a row decides which rows these rules let through.',
      'Write a check on the relationships of the row.',
    ]),
  /** the %kind% "%name%" cannot be served: %reason% */
  declaredObjectRefused: (given: Holes<'kind' | 'name' | 'reason'>) =>
    message('declared-object-refused', 'error', [
      `the ${given.kind} "${given.name}" cannot be served: ${given.reason}`,
    ]),
  /** multiple declarations exist for the following %kind%: %names% */
  duplicateDeclaration: (given: Holes<'kind' | 'names'>) =>
    message('duplicate-declaration', 'error', [
      `multiple declarations exist for the following ${given.kind}: ${given.names}`,
      'Only the first declaration of each is used.',
    ]),
  /** Duplicate variables found in endpoint path: %url% */
  endpointDuplicateVariable: (given: Holes<'url'>) =>
    message('endpoint-duplicate-variable', 'error', [
      `Duplicate variables found in endpoint path: ${given.url}`,
    ]),
  /** Empty segments or unnamed variables are not allowed: %url% */
  endpointEmptySegment: (given: Holes<'url'>) =>
    message('endpoint-empty-segment', 'error', [
      `Empty segments or unnamed variables are not allowed: ${given.url}`,
    ]),
  /** query with name %query% has no definitions. */
  endpointQueryEmpty: (given: Holes<'query'>) =>
    message('endpoint-query-empty', 'error', [`query with name ${given.query} has no definitions.`]),
  /** query with name %query% has multiple definitions. */
  endpointQuerySeveral: (given: Holes<'query'>) =>
    message('endpoint-query-several', 'error', [`query with name ${given.query} has multiple definitions.`]),
  /** query with name %query% is a subscription */
  endpointSubscription: (given: Holes<'query'>) =>
    message('endpoint-subscription', 'error', [`query with name ${given.query} is a subscription`]),
  /** the path has a variable "%variable%", which query with name %query% does not declare */
  endpointUndeclaredVariable: (given: Holes<'variable' | 'query'>) =>
    message('endpoint-undeclared-variable', 'error', [
      `the path has a variable "${given.variable}", which query with name ${given.query} does not declare`,
    ]),
  /** No request has a path that matches %url%: in the segment "%segment%" %why% */
  endpointUnreachable: (given: Holes<'url' | 'segment' | 'why'>) =>
    message('endpoint-unreachable', 'error', [
      `No request has a path that matches ${given.url}: in the segment "${given.segment}" ${given.why}`,
    ]),
  /** collection with name %collection% does not exist */
  endpointWithoutCollection: (given: Holes<'collection'>) =>
    message('endpoint-without-collection', 'error', [
      `collection with name ${given.collection} does not exist`,
    ]),
  /** query with name %query% does not exist in collection %collection% */
  endpointWithoutQuery: (given: Holes<'query' | 'collection'>) =>
    message('endpoint-without-query', 'error', [
      `query with name ${given.query} does not exist in collection ${given.collection}`,
    ]),
  /** Ambiguous URL paths: %urls% */
  endpointsAmbiguous: (given: Holes<'urls'>) =>
    message('endpoints-ambiguous', 'error', [`Ambiguous URL paths: ${given.urls}`]),
  /** column "%column%" in table %table% references multiple enum tables (%enums%) */
  enumReferenceAmbiguous: (given: Holes<'column' | 'table' | 'enums'>) =>
    message('enum-reference-ambiguous', 'error', [
      `column "${given.column}" in table ${given.table} references multiple enum tables (${given.enums})`,
    ]),
  /** the rows of the enum table %table% are not in the catalog */
  enumTableRowsUnknown: (given: Holes<'table'>) =>
    message('enum-table-rows-unknown', 'error', [
      `the rows of the enum table ${given.table} are not in the catalog`,
    ]),
  /** the table %table% cannot be used as an enum %reasons% */
  enumTableUnusable: (given: Holes<'table' | 'reasons'>) =>
    message('enum-table-unusable', 'error', [
      `the table ${given.table} cannot be used as an enum ${given.reasons}`,
    ]),
  /** The environment variable %name% is not set. */
  environmentVariableMissing: (given: Holes<'name' | 'users'>) =>
    message('environment-variable-missing', 'error', [
      `The environment variable ${given.name} is not set.`,
      `It is needed by ${given.users}.`,
    ]),
  /** environment variable '%name%' not set */
  environmentVariableNotSet: (given: Holes<'name'>) =>
    message('environment-variable-not-set', 'error', [`environment variable '${given.name}' not set`]),
  /** Value for environment variables not found: %names% */
  environmentVariablesNotFound: (given: Holes<'names'>) =>
    message('environment-variables-not-found', 'error', [
      `Value for environment variables not found: ${given.names}`,
    ]),
  /** "%name%" does not exist */
  eventTriggerColumnMissing: (given: Holes<'name', 'nearest'>) =>
    message('event-trigger-column-missing', 'error', [
      `"${given.name}" does not exist`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** its function "%name%" is that of event trigger "%other%", too; event trigger name can be at most 42 characters, and PostgreSQL cuts longer ones */
  eventTriggerNameTaken: (given: Holes<'name' | 'other'>) =>
    message('event-trigger-name-taken', 'error', [
      `its function "${given.name}" is that of event trigger "${given.other}", too; event trigger name can be at most 42 characters, and PostgreSQL cuts longer ones`,
    ]),
  /** %table% is not a table; only tables have rows to capture. */
  eventTriggerOnView: (given: Holes<'table'>) =>
    message('event-trigger-on-view', 'error', [
      `${given.table} is not a table; only tables have rows to capture.`,
    ]),
  /** The rule of role "%role%" for %operation% on table %table% demands a row of table %other% that need not belong to the row itself. */
  existsNotCorrelated: (given: Holes<'role' | 'operation' | 'table' | 'other'>) =>
    message('exists-not-correlated', 'warning', [
      `The rule of role "${given.role}" for ${given.operation} on table ${given.table} demands a row of table ${given.other} that need not belong to the row itself.`,
      'If there is such a row, the rule lets through every row for which the rest of it holds.',
      `Compare a column of ${given.other} with a column of the row (["$", "column"]), use a relationship, or allow it on purpose.`,
    ]),
  /** Computed columns with input arguments can not be part of the where clause */
  expressionComputedFieldArguments: () =>
    message('expression-computed-field-arguments', 'error', [
      'Computed columns with input arguments can not be part of the where clause',
    ]),
  /** "%field%" does not exist */
  expressionFieldMissing: (given: Holes<'field', 'nearest'>) =>
    message('expression-field-missing', 'error', [
      `"${given.field}" does not exist`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** the field "%field%" holds rows of a logical model, which no permission can ask for in this version */
  expressionOverNested: (given: Holes<'field'>) =>
    message('expression-over-nested', 'error', [
      `the field "${given.field}" holds rows of a logical model, which no permission can ask for in this version`,
    ]),
  /** the relationship "%field%" leads to a native query, whose rows no permission can ask for in this version */
  expressionOverQuery: (given: Holes<'field'>) =>
    message('expression-over-query', 'error', [
      `the relationship "${given.field}" leads to a native query, whose rows no permission can ask for in this version`,
    ]),
  /** table %table% does not exist */
  expressionTableMissing: (given: Holes<'table', 'nearest'>) =>
    message('expression-table-missing', 'error', [
      `table ${given.table} does not exist`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** parsing %type% failed, expected %expected%, but encountered %found% */
  expressionValueMisplaced: (given: Holes<'type' | 'expected' | 'found'>) =>
    message('expression-value-misplaced', 'error', [
      `parsing ${given.type} failed, expected ${given.expected}, but encountered ${given.found}`,
    ]),
  /** The migrations need the extension "%extension%", which the %server% does not have. */
  extensionUnavailable: (given: Holes<'extension' | 'server', 'packages' | 'stub'>) =>
    message('extension-unavailable', 'error', [
      `The migrations need the extension "${given.extension}", which the ${given.server} does not have.`,
      given.packages === undefined ? undefined : `Install it: npm install --save-dev ${given.packages}`,
      given.stub === undefined ? undefined : `Compile with a stub of it: ${given.stub}.`,
      'Use a throw-away server that has it (--scratch URL), or a saved catalog (engine introspect, then --catalog FILE).',
    ]),
  /** Table %table% is marked for Apollo federation, but has no primary key whose columns all have GraphQL names. It is no entity. */
  federatedTableWithoutKey: (given: Holes<'table'>) =>
    message('federated-table-without-key', 'warning', [
      `Table ${given.table} is marked for Apollo federation, but has no primary key whose columns all have GraphQL names. It is no entity.`,
      'Add a primary key, or give its columns custom names.',
    ]),
  /** field definition conflicts with postgres column */
  fieldConflictsWithColumn: () =>
    message('field-conflicts-with-column', 'error', ['field definition conflicts with postgres column']),
  /** field definition conflicts with custom field name for postgres column "%column%" */
  fieldConflictsWithCustomName: (given: Holes<'column'>) =>
    message('field-conflicts-with-custom-name', 'error', [
      `field definition conflicts with custom field name for postgres column "${given.column}"`,
    ]),
  /** conflicting definitions for field "%field%" */
  fieldsConflict: (given: Holes<'field'>) =>
    message('fields-conflict', 'error', [`conflicting definitions for field "${given.field}"`]),
  /** more than one foreign key constraint exists on the given column(s) */
  foreignKeyAmbiguous: () =>
    message('foreign-key-ambiguous', 'error', [
      'more than one foreign key constraint exists on the given column(s)',
    ]),
  /** no foreign constraint exists on the given column(s) */
  foreignKeyMissing: (given: Holes<never, 'advice'>) =>
    message('foreign-key-missing', 'error', [
      'no foreign constraint exists on the given column(s)',
      given.advice === undefined ? undefined : `${given.advice}`,
    ]),
  /** The form of the request transform of %object% is sent with the content type application/json. */
  formContentType: (given: Holes<'object'>) =>
    message('form-content-type', 'warning', [
      `The form of the request transform of ${given.object} is sent with the content type application/json.`,
      'In its request_headers, write remove_headers: [Content-Type] and add_headers: {Content-Type: application/x-www-form-urlencoded}.',
    ]),
  /** no such function exists: %name% */
  functionNotInDatabase: (given: Holes<'name', 'nearest'>) =>
    message('function-not-in-database', 'error', [
      `no such function exists: ${given.name}`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** function %name% is overloaded. Overloaded functions are not supported */
  functionOverloaded: (given: Holes<'name'>) =>
    message('function-overloaded', 'error', [
      `function ${given.name} is overloaded. Overloaded functions are not supported`,
    ]),
  /** no select permission defined on table %table% for role "%role%" */
  functionPermissionWithoutSelect: (given: Holes<'table' | 'role'>) =>
    message('function-permission-without-select', 'warning', [
      `no select permission defined on table ${given.table} for role "${given.role}"`,
    ]),
  /** The function %name%, %what%, runs with the rights of its owner (SECURITY DEFINER) when %who% calls it. */
  functionSecurityDefiner: (given: Holes<'name' | 'what' | 'who'>) =>
    message('function-security-definer', 'warning', [
      `The function ${given.name}, ${given.what}, runs with the rights of its owner (SECURITY DEFINER) when ${given.who} calls it.`,
      "It sees what policies hide from the server's account. Read its body, and allow the finding if that is meant.",
    ]),
  /** the function %name% cannot be tracked %reasons% */
  functionUntrackable: (given: Holes<'name' | 'reasons'>) =>
    message('function-untrackable', 'error', [
      `the function ${given.name} cannot be tracked ${given.reasons}`,
    ]),
  /** Table %table% has no field "%field%", because the name "%name%" belongs to %owner%. */
  groupByLeftOut: (given: Holes<'table' | 'field' | 'name' | 'owner'>) =>
    message('group-by-left-out', 'warning', [
      `Table ${given.table} has no field "${given.field}", because the name "${given.name}" belongs to ${given.owner}.`,
      'Give one of them another name to have the field.',
    ]),
  /** Role "%role%" may not read %columns% of table %table%, but reads column "%shown%" of %owner%, which is computed from it. */
  hiddenColumnComputed: (given: Holes<'role' | 'columns' | 'table' | 'shown' | 'owner'>) =>
    message('hidden-column-computed', 'warning', [
      `Role "${given.role}" may not read ${given.columns} of table ${given.table}, but reads column "${given.shown}" of ${given.owner}, which is computed from it.`,
      'The computed value may reveal them. Take the column out of the permission, or allow the finding if it does not.',
    ]),
  /** Role "%role%" may not read %columns% of table %table%, but reads %computed% of the view %view%, whose query uses it. */
  hiddenColumnComputedByView: (given: Holes<'role' | 'columns' | 'table' | 'computed' | 'view'>) =>
    message('hidden-column-computed-by-view', 'warning', [
      `Role "${given.role}" may not read ${given.columns} of table ${given.table}, but reads ${given.computed} of the view ${given.view}, whose query uses it.`,
      'The computed value may reveal them. Read the query of the view, and allow the finding if it does not.',
    ]),
  /** Role "%role%" reads the computed field "%field%" of table %table%, whose function %called% receives the whole row, including columns that the role may not read: %columns%. */
  hiddenColumnGivenToFunction: (given: Holes<'role' | 'field' | 'table' | 'called' | 'columns'>) =>
    message('hidden-column-given-to-function', 'warning', [
      `Role "${given.role}" reads the computed field "${given.field}" of table ${given.table}, whose function ${given.called} receives the whole row, including columns that the role may not read: ${given.columns}.`,
      'Read the function, and allow the finding if its result does not reveal them.',
    ]),
  /** Role "%role%" may not read column "%column%" of table %table%, but reads its value as column "%shown%" of the relationship "%relationship%". */
  hiddenColumnShownByRelationship: (given: Holes<'role' | 'column' | 'table' | 'shown' | 'relationship'>) =>
    message('hidden-column-shown-by-relationship', 'warning', [
      `Role "${given.role}" may not read column "${given.column}" of table ${given.table}, but reads its value as column "${given.shown}" of the relationship "${given.relationship}".`,
      'Take the column out of the permission on the related table, grant it here as well, or allow it on purpose.',
    ]),
  /** Role "%role%" may not read column "%column%" of table %table%, but reads it as column "%shown%" of the view %view%. */
  hiddenColumnShownByView: (given: Holes<'role' | 'column' | 'table' | 'shown' | 'view'>) =>
    message('hidden-column-shown-by-view', 'warning', [
      `Role "${given.role}" may not read column "${given.column}" of table ${given.table}, but reads it as column "${given.shown}" of the view ${given.view}.`,
      'Take the column out of the permission on the view, or allow it on purpose.',
    ]),
  /** %file% includes itself through %chain%. */
  includeCycle: (given: Holes<'file' | 'chain'>) =>
    message('include-cycle', 'error', [`${given.file} includes itself through ${given.chain}.`]),
  /** The included file %file% does not exist. */
  includeMissing: (given: Holes<'file'>) =>
    message('include-missing', 'error', [
      `The included file ${given.file} does not exist.`,
      'Targets of !include are relative to the file that names them.',
    ]),
  /** found cycle(s) in roles: %cycle% */
  inheritedRoleCycle: (given: Holes<'cycle'>) =>
    message('inherited-role-cycle', 'error', [`found cycle(s) in roles: ${given.cycle}`]),
  /** Could not inherit permission for the role "%role%" for the entity: "%operation% permission, table: %table%, source: '%source%'" */
  inheritedRoleMutationConflict: (given: Holes<'role' | 'operation' | 'table' | 'source'>) =>
    message('inherited-role-mutation-conflict', 'error', [
      `Could not inherit permission for the role "${given.role}" for the entity: "${given.operation} permission, table: ${given.table}, source: '${given.source}'"`,
    ]),
  /** the following parent role(s) are not found: %parents% which are required to construct the inherited role: "%role%" */
  inheritedRoleParentsMissing: (given: Holes<'parents' | 'role'>) =>
    message('inherited-role-parents-missing', 'error', [
      `the following parent role(s) are not found: ${given.parents} which are required to construct the inherited role: "${given.role}"`,
    ]),
  /** The inherited role "%role%" has a permission for %operation% on table %table% that is wider than those of the roles it inherits from: %what%. */
  inheritedRoleWider: (given: Holes<'role' | 'operation' | 'table' | 'what'>) =>
    message('inherited-role-wider', 'warning', [
      `The inherited role "${given.role}" has a permission for ${given.operation} on table ${given.table} that is wider than those of the roles it inherits from: ${given.what}.`,
      'Inheriting looks as if it gave nothing more.',
      'Remove the permission, restrict it, or allow it on purpose.',
    ]),
  /** remote relationship "%name%" of "%entity%" gives "%field%" (%type%) to an argument of type %argumentType% */
  joinArgumentType: (given: Holes<'name' | 'entity' | 'field' | 'type' | 'argumentType'>) =>
    message('join-argument-type', 'warning', [
      `remote relationship "${given.name}" of "${given.entity}" gives "${given.field}" (${given.type}) to an argument of type ${given.argumentType}`,
      'The remote schema will refuse it.',
    ]),
  /** "%name%" does not exist */
  joinColumnMissing: (given: Holes<'name' | 'table', 'nearest'>) =>
    message('join-column-missing', 'error', [
      `"${given.name}" does not exist`,
      `Table ${given.table} has no such column.`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** field with name "%name%"is not provided by the lhs entity"%entity%"for defining a join condition, the allowed fields are %allowed% */
  joinFieldMissing: (given: Holes<'name' | 'entity' | 'allowed', 'nearest'>) =>
    message('join-field-missing', 'error', [
      `field with name "${given.name}"is not provided by the lhs entity"${given.entity}"for defining a join condition, the allowed fields are ${given.allowed}`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** remote relationship "%name%" of "%entity%" is always null: no value of "%field%" (%type%) is one of "%column%" (%columnType%) */
  joinNeverEqual: (given: Holes<'name' | 'entity' | 'field' | 'type' | 'column' | 'columnType'>) =>
    message('join-never-equal', 'warning', [
      `remote relationship "${given.name}" of "${given.entity}" is always null: no value of "${given.field}" (${given.type}) is one of "${given.column}" (${given.columnType})`,
      'Join columns of one type, or a column of texts.',
    ]),
  /** table %table% does not exist in source: %source% */
  joinTableMissing: (given: Holes<'table' | 'source', 'nearest'>) =>
    message('join-table-missing', 'error', [
      `table ${given.table} does not exist in source: ${given.source}`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** Key "%name%" of table %table% is left out of on_conflict, because its name is not a valid GraphQL name. */
  keyNameLeftOut: (given: Holes<'name' | 'table' | 'statement'>) =>
    message('key-name-left-out', 'warning', [
      `Key "${given.name}" of table ${given.table} is left out of on_conflict, because its name is not a valid GraphQL name.`,
      `To offer it: ${given.statement}`,
    ]),
  /** The configuration allows "%rule%", but nothing is reported there%place?%. */
  lintAllowanceUnused: (given: Holes<'rule', 'place'>) =>
    message('lint-allowance-unused', 'warning', [
      given.place === undefined
        ? undefined
        : `The configuration allows "${given.rule}", but nothing is reported there${given.place}.`,
      'Remove the entry, so that it does not hide a later finding.',
    ]),
  /** "%name%" is a literal: session variables begin with "%prefix%". */
  literalLikeSessionVariable: (given: Holes<'name' | 'prefix' | 'word', 'more'>) =>
    message('literal-like-session-variable', 'warning', [
      `"${given.name}" is a literal: session variables begin with "${given.prefix}".`,
      given.more === undefined ? undefined : `More literals with such names: ${given.more}.`,
      `If the metadata is that of an engine whose word is "${given.word}", give --vocabulary ${given.word}.`,
    ]),
  /** %reason% */
  literalMisfit: (given: Holes<'reason'>) => message('literal-misfit', 'error', [`${given.reason}`]),
  /** %file% is not a metadata file and is ignored. */
  metadataFileIgnored: (given: Holes<'file', 'nearest'>) =>
    message('metadata-file-ignored', 'warning', [
      `${given.file} is not a metadata file and is ignored.`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** Cannot read %file%: %reason%. */
  metadataFileUnreadable: (given: Holes<'file' | 'reason'>) =>
    message('metadata-file-unreadable', 'error', [`Cannot read ${given.file}: ${given.reason}.`]),
  /** The folder %folder% has no metadata: neither databases/databases.yaml nor another file of it. */
  metadataFolderEmpty: (given: Holes<'folder'>) =>
    message('metadata-folder-empty', 'error', [
      `The folder ${given.folder} has no metadata: neither databases/databases.yaml nor another file of it.`,
      'Fetch it from a server with engine metadata export, or begin with version.yaml (version: 3) and databases/databases.yaml.',
    ]),
  /** This is not JSON: %reason%. */
  metadataJsonInvalid: (given: Holes<'reason'>) =>
    message('metadata-json-invalid', 'error', [`This is not JSON: ${given.reason}.`]),
  /** %reason% */
  metadataValueInvalid: (given: Holes<'reason'>) =>
    message('metadata-value-invalid', 'error', [`${given.reason}`]),
  /** Metadata of version %version% cannot be read here; version 3 can. */
  metadataVersionUnsupported: (given: Holes<'version'>) =>
    message('metadata-version-unsupported', 'error', [
      `Metadata of version ${given.version} cannot be read here; version 3 can.`,
    ]),
  /** This is not YAML: %reason%. */
  metadataYamlInvalid: (given: Holes<'reason'>) =>
    message('metadata-yaml-invalid', 'error', [`This is not YAML: ${given.reason}.`]),
  /** %reason% */
  migrationFailed: (given: Holes<'reason', 'advice'>) =>
    message('migration-failed', 'error', [
      `${given.reason}`,
      given.advice === undefined ? undefined : `${given.advice}`,
    ]),
  /** The folder %folder% holds no migrations. */
  migrationsEmpty: (given: Holes<'folder'>) =>
    message('migrations-empty', 'error', [
      `The folder ${given.folder} holds no migrations.`,
      'Expected are <timestamp>_<name>/up.sql, or .sql files.',
    ]),
  /** There are no migrations for the source %source%: %folder% does not exist. */
  migrationsMissing: (given: Holes<'source' | 'folder', 'nearest'>) =>
    message('migrations-missing', 'error', [
      `There are no migrations for the source ${given.source}: ${given.folder} does not exist.`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** The REST endpoint "%endpoint%" runs the mutation %operation% by GET. */
  mutationByGet: (given: Holes<'endpoint' | 'operation'>) =>
    message('mutation-by-get', 'warning', [
      `The REST endpoint "${given.endpoint}" runs the mutation ${given.operation} by GET.`,
      "Opening a link with the caller's cookies runs it; caches and previews may run it, too.",
      'Use POST, PUT, PATCH or DELETE.',
    ]),
  /** cannot include "%name%" in the GraphQL schema because %name% is not a valid GraphQL identifier */
  nameNotGraphql: (given: Holes<'name'>) =>
    message('name-not-graphql', 'error', [
      `cannot include "${given.name}" in the GraphQL schema because ${given.name} is not a valid GraphQL identifier`,
    ]),
  /** The naming convention "%convention%" of source "%source%" has no effect, because the feature naming_convention is not enabled. */
  namingConventionIgnored: (given: Holes<'convention' | 'source' | 'variable'>) =>
    message('naming-convention-ignored', 'warning', [
      `The naming convention "${given.convention}" of source "${given.source}" has no effect, because the feature naming_convention is not enabled.`,
      `Enable it with ${given.variable}=naming_convention.`,
    ]),
  /** %kind% %name% is kept in the metadata but not served yet. */
  notServedYet: (given: Holes<'kind' | 'name'>) =>
    message('not-served-yet', 'warning', [
      `${given.kind} ${given.name} is kept in the metadata but not served yet.`,
    ]),
  /** field '%cast%' not found in type: '%type%_cast_exp' */
  operatorCastUnknown: (given: Holes<'cast' | 'type'>) =>
    message('operator-cast-unknown', 'error', [
      `field '${given.cast}' not found in type: '${given.type}_cast_exp'`,
    ]),
  /** "%column%" is of type "%type%"; this operator works only on columns of type %expected% */
  operatorMisplaced: (given: Holes<'column' | 'type' | 'expected'>) =>
    message('operator-misplaced', 'error', [
      `"${given.column}" is of type "${given.type}"; this operator works only on columns of type ${given.expected}`,
    ]),
  /** Unknown operator: %operator% */
  operatorUnknown: (given: Holes<'operator', 'nearest'>) =>
    message('operator-unknown', 'error', [
      `Unknown operator: ${given.operator}`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** One branch of an _or in the row rule of role "%role%" for %operation% on table %table% is tied to the session and another is not. */
  orBranchWithoutSession: (given: Holes<'role' | 'operation' | 'table' | 'branch'>) =>
    message('or-branch-without-session', 'warning', [
      `One branch of an _or in the row rule of role "${given.role}" for ${given.operation} on table ${given.table} is tied to the session and another is not.`,
      `Every caller gets the rows of this branch: ${given.branch}`,
      "Unless the rows are for every caller, add the session's condition to that branch or beside the _or.",
    ]),
  /** Role "%role%" may insert column "%column%" of table %table%, which identifies the owner of a row (%rule%), and neither a preset nor the check binds it to the session. */
  ownerCanBeChosen: (given: Holes<'role' | 'column' | 'table' | 'rule' | 'variable'>) =>
    message('owner-can-be-chosen', 'warning', [
      `Role "${given.role}" may insert column "${given.column}" of table ${given.table}, which identifies the owner of a row (${given.rule}), and neither a preset nor the check binds it to the session.`,
      'A row can be created in the name of another user.',
      `Set the column by a preset ("${given.column}": "${given.variable}") and take it out of the columns, or put it into the check.`,
    ]),
  /** Event trigger "%name%" sends columns of table %table% that no role may read: %columns%. */
  payloadColumnUnreadable: (given: Holes<'name' | 'table' | 'columns'>) =>
    message('payload-column-unreadable', 'warning', [
      `Event trigger "${given.name}" sends columns of table ${given.table} that no role may read: ${given.columns}.`,
      'Name the columns to send in "payload".',
    ]),
  /** expecting a database column; but, "%name%" is a relationship; permissions for relationships are automatically inferred */
  permissionColumnIsRelationship: (given: Holes<'name'>) =>
    message('permission-column-is-relationship', 'error', [
      `expecting a database column; but, "${given.name}" is a relationship; permissions for relationships are automatically inferred`,
    ]),
  /** column "%column%" does not exist */
  permissionColumnMissing: (given: Holes<'column', 'nearest'>) =>
    message('permission-column-missing', 'error', [
      `column "${given.column}" does not exist`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** Column "%column%" is not %able% and so cannot have %operation% permissions defined */
  permissionColumnNotWritable: (given: Holes<'column' | 'able' | 'operation'>) =>
    message('permission-column-not-writable', 'error', [
      `Column "${given.column}" is not ${given.able} and so cannot have ${given.operation} permissions defined`,
    ]),
  /** computed field "%field%" does not exist */
  permissionComputedFieldMissing: (given: Holes<'field', 'nearest'>) =>
    message('permission-computed-field-missing', 'error', [
      `computed field "${given.field}" does not exist`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** select permissions on computed field "%field%" are auto-derived from the permissions on its returning table %table% and cannot be specified manually */
  permissionComputedFieldReturnsTable: (given: Holes<'field' | 'table'>) =>
    message('permission-computed-field-returns-table', 'error', [
      `select permissions on computed field "${given.field}" are auto-derived from the permissions on its returning table ${given.table} and cannot be specified manually`,
    ]),
  /** cannot define permission for admin role */
  permissionForAdmin: () =>
    message('permission-for-admin', 'error', ['cannot define permission for admin role']),
  /** unexpected negative value */
  permissionLimitNegative: () => message('permission-limit-negative', 'error', ['unexpected negative value']),
  /** "check_message" needs "check" */
  permissionMessageWithoutCheck: () =>
    message('permission-message-without-check', 'error', ['"check_message" needs "check"']),
  /** The "select_aggregate" root field can only be enabled in the %list% when "allow_aggregations" is set to true */
  permissionRootAggregate: (given: Holes<'list'>) =>
    message('permission-root-aggregate', 'error', [
      `The "select_aggregate" root field can only be enabled in the ${given.list} when "allow_aggregations" is set to true`,
    ]),
  /** The "select_by_pk" field cannot be included in the %list% because the role "%role%" does not have access to the primary key of the table "%table%" in the source %source% */
  permissionRootByKey: (given: Holes<'list' | 'role' | 'table' | 'source'>) =>
    message('permission-root-by-key', 'error', [
      `The "select_by_pk" field cannot be included in the ${given.list} because the role "${given.role}" does not have access to the primary key of the table "${given.table}" in the source ${given.source}`,
    ]),
  /** Row security of %what% is disabled, so its policies hide no row: %names%. */
  policiesDisabled: (given: Holes<'what' | 'names'>) =>
    message('policies-disabled', 'warning', [
      `Row security of ${given.what} is disabled, so its policies hide no row: ${given.names}.`,
      'Enable it (alter table … enable row level security), drop the policies, or allow the finding.',
    ]),
  /** Role "%role%" sets column "%column%" of table %table% to a literal by a preset, while its rule for %other% compares the column with %variable%. */
  presetIsLiteral: (given: Holes<'role' | 'column' | 'table' | 'other' | 'variable'>) =>
    message('preset-is-literal', 'warning', [
      `Role "${given.role}" sets column "${given.column}" of table ${given.table} to a literal by a preset, while its rule for ${given.other} compares the column with ${given.variable}.`,
      'Every row is written for the same owner.',
      'Take the value from the session, or allow it on purpose.',
    ]),
  /** Role "%role%" may %operation% %columns% of table %table%, which refers to %target%, and no check ties the row of %target% to the session. */
  referenceCanLeave: (given: Holes<'role' | 'operation' | 'columns' | 'table' | 'target'>) =>
    message('reference-can-leave', 'warning', [
      `Role "${given.role}" may ${given.operation} ${given.columns} of table ${given.table}, which refers to ${given.target}, and no check ties the row of ${given.target} to the session.`,
      'The row can be made to refer to a row of another user or tenant, and rules that follow the reference then answer wrongly.',
      'Write a check on the relationship, or allow it on purpose.',
    ]),
  /** the native query "%name%" has no argument "%argument%" */
  relationshipArgumentMissing: (given: Holes<'name' | 'argument', 'nearest'>) =>
    message('relationship-argument-missing', 'error', [
      `the native query "${given.name}" has no argument "${given.argument}"`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** the argument "%argument%" of the native query "%name%" is of type %type%, the column "%column%" of type %columnType% */
  relationshipArgumentType: (given: Holes<'argument' | 'name' | 'type' | 'column' | 'columnType'>) =>
    message('relationship-argument-type', 'error', [
      `the argument "${given.argument}" of the native query "${given.name}" is of type ${given.type}, the column "${given.column}" of type ${given.columnType}`,
    ]),
  /** table %table% has no field named "%column%" */
  relationshipFieldMissing: (given: Holes<'table' | 'column', 'nearest'>) =>
    message('relationship-field-missing', 'error', [
      `table ${given.table} has no field named "${given.column}"`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** Object relationship "%relationship%" of table %table% may find several rows of %target%, because %because%. */
  relationshipNotSingle: (given: Holes<'relationship' | 'table' | 'target' | 'because'>) =>
    message('relationship-not-single', 'warning', [
      `Object relationship "${given.relationship}" of table ${given.table} may find several rows of ${given.target}, because ${given.because}.`,
    ]),
  /** there is no native query "%name%" in the source */
  relationshipQueryMissing: (given: Holes<'name'>) =>
    message('relationship-query-missing', 'error', [
      `there is no native query "${given.name}" in the source`,
    ]),
  /** the native query "%name%" may write, which a relationship would do for each row */
  relationshipQueryVolatile: (given: Holes<'name'>) =>
    message('relationship-query-volatile', 'error', [
      `the native query "${given.name}" may write, which a relationship would do for each row`,
    ]),
  /** Duplicate remote field '%field%' */
  remoteFieldConflict: (given: Holes<'field' | 'owner'>) =>
    message('remote-field-conflict', 'error', [
      `Duplicate remote field '${given.field}'`,
      `${given.owner} has a root field of this name already: give the remote schema a namespace, or rename the field.`,
    ]),
  /** in remote schema permission for role "%role%": %reason% */
  remotePermissionInvalid: (given: Holes<'role' | 'reason'>) =>
    message('remote-permission-invalid', 'error', [
      `in remote schema permission for role "${given.role}": ${given.reason}`,
    ]),
  /** Could not inherit permission for the role '%role%' for the entity: 'remote schema: '%name%'' */
  remotePermissionNotInherited: (given: Holes<'role' | 'name'>) =>
    message('remote-permission-not-inherited', 'error', [
      `Could not inherit permission for the role '${given.role}' for the entity: 'remote schema: '${given.name}''`,
    ]),
  /** Role "%role%" may choose "%name%" at %place% of remote schema "%remote%", which is preset with %variable% at %other%. */
  remotePresetLost: (given: Holes<'role' | 'name' | 'place' | 'remote' | 'variable' | 'other'>) =>
    message('remote-preset-lost', 'warning', [
      `Role "${given.role}" may choose "${given.name}" at ${given.place} of remote schema "${given.remote}", which is preset with ${given.variable} at ${given.other}.`,
      `Write @preset(value: "${given.variable}") there as well, or allow it with a reason.`,
    ]),
  /** remote schema "%name%" gets no preset of role "%role%" for %presets% when a client leaves out %place% or sends null */
  remotePresetSkipped: (given: Holes<'name' | 'role' | 'presets' | 'place'>) =>
    message('remote-preset-skipped', 'warning', [
      `remote schema "${given.name}" gets no preset of role "${given.role}" for ${given.presets} when a client leaves out ${given.place} or sends null`,
      `Preset ${given.place} itself, or have the remote schema require it.`,
    ]),
  /** %reason% */
  remoteRelationshipInvalid: (given: Holes<'reason'>) =>
    message('remote-relationship-invalid', 'error', [`${given.reason}`]),
  /** %reason% */
  remoteSchemaInvalid: (given: Holes<'reason'>) =>
    message('remote-schema-invalid', 'error', [`${given.reason}`]),
  /** remote schema with name "%name%" not found */
  remoteSchemaMissing: (given: Holes<'name'>) =>
    message('remote-schema-missing', 'error', [`remote schema with name "${given.name}" not found`]),
  /** remote schema "%name%" is inconsistent because of stale remote schema introspection is used. The remote schema couldn't be reached for a fresh introspection because we got error: %reason% */
  remoteSchemaStale: (given: Holes<'name' | 'reason'>) =>
    message('remote-schema-stale', 'error', [
      `remote schema "${given.name}" is inconsistent because of stale remote schema introspection is used. The remote schema couldn't be reached for a fresh introspection because we got error: ${given.reason}`,
    ]),
  /** %reason% */
  remoteSchemaUnreachable: (given: Holes<'reason'>) =>
    message('remote-schema-unreachable', 'error', [`${given.reason}`]),
  /** Found conflicting definitions for "%type%": %owner% defines it otherwise */
  remoteTypeConflict: (given: Holes<'type' | 'owner'>) =>
    message('remote-type-conflict', 'error', [
      `Found conflicting definitions for "${given.type}": ${given.owner} defines it otherwise`,
      'Give the types of the remote schema a prefix, a suffix or names of their own.',
    ]),
  /** no type named "%type%" defined in remote schema "%name%" */
  remoteTypeMissing: (given: Holes<'type' | 'name'>) =>
    message('remote-type-missing', 'error', [
      `no type named "${given.type}" defined in remote schema "${given.name}"`,
    ]),
  /** remote relationships on a remote schema can only be defined on object types */
  remoteTypeNotObject: () =>
    message('remote-type-not-object', 'error', [
      'remote relationships on a remote schema can only be defined on object types',
    ]),
  /** Role "%role%" has this permission for %operation% on table %table% and no other, and its name is near that of role "%nearest%". */
  roleUsedOnce: (given: Holes<'role' | 'operation' | 'table' | 'nearest'>) =>
    message('role-used-once', 'warning', [
      `Role "${given.role}" has this permission for ${given.operation} on table ${given.table} and no other, and its name is near that of role "${given.nearest}".`,
      'Correct the name if it is misspelt, or allow it on purpose.',
    ]),
  /** Encountered conflicting definitions in the selection set for '%root%' for field '%field%' defined in [%first%, %second%]. Fields must not be defined more than once across all sources. */
  rootFieldConflict: (given: Holes<'root' | 'field' | 'first' | 'second'>) =>
    message('root-field-conflict', 'error', [
      `Encountered conflicting definitions in the selection set for '${given.root}' for field '${given.field}' defined in [${given.first}, ${given.second}]. Fields must not be defined more than once across all sources.`,
    ]),
  /** Role "%role%" may update column "%column%" of table %table%, on which its row rule depends, and no check binds the new value to the session. */
  rowCanBeGivenAway: (given: Holes<'role' | 'column' | 'table'>) =>
    message('row-can-be-given-away', 'warning', [
      `Role "${given.role}" may update column "${given.column}" of table ${given.table}, on which its row rule depends, and no check binds the new value to the session.`,
      'A row can be given to another user, or moved into another tenant.',
      'Take the column out of the permission, set it by a preset, or write a check.',
    ]),
  /** The rule of role "%role%" for %operation% on table %table% can raise an error for a row: %parts%. */
  ruleCanFail: (given: Holes<'role' | 'operation' | 'table' | 'parts'>) =>
    message('rule-can-fail', 'warning', [
      `The rule of role "${given.role}" for ${given.operation} on table ${given.table} can raise an error for a row: ${given.parts}.`,
      'A client that reaches hidden rows one by one learns from the errors what they hold.',
      'Compare with operators that fail for no value, or move the computation into a generated column.',
    ]),
  /** A row rule (role "%role%", %operation%) searches %target% by column "%column%", and no index begins with that column.%more% */
  ruleColumnWithoutIndex: (given: Holes<'role' | 'operation' | 'target' | 'column' | 'more'>) =>
    message('rule-column-without-index', 'warning', [
      `A row rule (role "${given.role}", ${given.operation}) searches ${given.target} by column "${given.column}", and no index begins with that column.${given.more}`,
      `Every request with this rule reads the whole table. Create an index: create index on ${given.target} (${given.column})`,
    ]),
  /** The rule of role "%role%" for %operation% on table %table% looks like a condition, but is true for every row. */
  ruleIsAlwaysTrue: (given: Holes<'role' | 'operation' | 'table'>) =>
    message('rule-is-always-true', 'warning', [
      `The rule of role "${given.role}" for ${given.operation} on table ${given.table} looks like a condition, but is true for every row.`,
      'Write {} if every row is meant.',
    ]),
  /** The rule of role "%role%" for %operation% on table %table% is false for every row. */
  ruleIsNeverTrue: (given: Holes<'role' | 'operation' | 'table'>) =>
    message('rule-is-never-true', 'warning', [
      `The rule of role "${given.role}" for ${given.operation} on table ${given.table} is false for every row.`,
      'Remove the permission, or correct the rule.',
    ]),
  /** The rule of role "%role%" for %operation% on table %table% has no session variable, while other rules on the table have one. */
  ruleWithoutSession: (given: Holes<'role' | 'operation' | 'table'>) =>
    message('rule-without-session', 'warning', [
      `The rule of role "${given.role}" for ${given.operation} on table ${given.table} has no session variable, while other rules on the table have one.`,
      'Every caller with the role gets these rows, including those of other users.',
      "Put the session's condition into the rule, or allow it on purpose.",
    ]),
  /** In query collection "%collection%" the query "%query%" is invalid with the following error(s): %error%%uses% */
  savedQueryInvalid: (given: Holes<'collection' | 'query' | 'error' | 'uses'>) =>
    message('saved-query-invalid', 'error', [
      `In query collection "${given.collection}" the query "${given.query}" is invalid with the following error(s): ${given.error}${given.uses}`,
    ]),
  /** In query collection "%collection%" the query "%query%" cannot be run: %error%. */
  savedQueryRefused: (given: Holes<'collection' | 'query' | 'error'>) =>
    message('saved-query-refused', 'warning', [
      `In query collection "${given.collection}" the query "${given.query}" cannot be run: ${given.error}.`,
    ]),
  /** In query collection "%collection%" the query "%query%" has the size %size%, which api_limits.%limit% refuses to the roles %roles%. */
  savedQueryTooLarge: (given: Holes<'collection' | 'query' | 'size' | 'limit' | 'roles'>) =>
    message('saved-query-too-large', 'warning', [
      `In query collection "${given.collection}" the query "${given.query}" has the size ${given.size}, which api_limits.${given.limit} refuses to the roles ${given.roles}.`,
    ]),
  /** Role "%role%" may read column "%column%" of table %table%, whose name is that of a secret. */
  secretColumnGranted: (given: Holes<'role' | 'column' | 'table'>) =>
    message('secret-column-granted', 'warning', [
      `Role "${given.role}" may read column "${given.column}" of table ${given.table}, whose name is that of a secret.`,
      'Take it out of the permission, or allow it on purpose.',
    ]),
  /** "%name%" is a session variable of another vocabulary; this one's begin with "%prefix%" */
  sessionVariableForeign: (given: Holes<'name' | 'prefix'>) =>
    message('session-variable-foreign', 'error', [
      `"${given.name}" is a session variable of another vocabulary; this one's begin with "${given.prefix}"`,
    ]),
  /** The event trigger "%name%" is on %table%, where a Citus cluster refuses database triggers. */
  shardsEventTrigger: (given: Holes<'name' | 'table'>) =>
    message('shards-event-trigger', 'error', [
      `The event trigger "${given.name}" is on ${given.table}, where a Citus cluster refuses database triggers.`,
    ]),
  /** The function %name% can be called only where nothing else is asked of the cluster: %why%. */
  shardsFunctionAlone: (given: Holes<'name' | 'why'>) =>
    message('shards-function-alone', 'warning', [
      `The function ${given.name} can be called only where nothing else is asked of the cluster: ${given.why}.`,
    ]),
  /** The function %name% cannot be called on a cluster: %why%. */
  shardsFunctionReads: (given: Holes<'name' | 'why'>) =>
    message('shards-function-reads', 'warning', [
      `The function ${given.name} cannot be called on a cluster: ${given.why}.`,
    ]),
  /** The relationship "%name%" of the distributed table %table% does not join the distribution columns: %pairs%. */
  shardsRelationshipApart: (given: Holes<'name' | 'table' | 'pairs'>) =>
    message('shards-relationship-apart', 'warning', [
      `The relationship "${given.name}" of the distributed table ${given.table} does not join the distribution columns: ${given.pairs}.`,
    ]),
  /** The %operation% permission of role "%role%" on the distributed table %table% looks at other tables. */
  shardsRuleSubquery: (given: Holes<'operation' | 'role' | 'table'>) =>
    message('shards-rule-subquery', 'warning', [
      `The ${given.operation} permission of role "${given.role}" on the distributed table ${given.table} looks at other tables.`,
    ]),
  /** The %operation% permission of role "%role%" on the distributed table %table% does not fix the distribution column "%column%" to one value. */
  shardsRuleWithoutValue: (given: Holes<'operation' | 'role' | 'table' | 'column'>) =>
    message('shards-rule-without-value', 'warning', [
      `The ${given.operation} permission of role "${given.role}" on the distributed table ${given.table} does not fix the distribution column "${given.column}" to one value.`,
    ]),
  /** Source "%source%" is of kind "%kind%"; only "postgres" can be served. */
  sourceKindUnsupported: (given: Holes<'source' | 'kind'>) =>
    message('source-kind-unsupported', 'error', [
      `Source "${given.source}" is of kind "${given.kind}"; only "postgres" can be served.`,
    ]),
  /** source not found: "%name%" */
  sourceMissing: (given: Holes<'name'>) =>
    message('source-missing', 'error', [`source not found: "${given.name}"`]),
  /** The database of source "%source%" is %product%, on which Engine is not tested. */
  sourceOtherDatabase: (given: Holes<'source' | 'product'>) =>
    message('source-other-database', 'warning', [
      `The database of source "${given.source}" is ${given.product}, on which Engine is not tested.`,
    ]),
  /** connection error */
  sourceUnreachable: (given: Holes<'reason' | 'source'>) =>
    message('source-unreachable', 'error', [
      'connection error',
      `${given.reason}`,
      `Give its address (--source ${given.source}=URL), the SQL that makes it (--migrations FOLDER), or a saved catalog (--catalog FILE).`,
    ]),
  /** PostgreSQL refuses %what%: %reason%. */
  sqlRefused: (given: Holes<'what' | 'reason', 'detail' | 'excerpt'>) =>
    message('sql-refused', 'error', [
      `PostgreSQL refuses ${given.what}: ${given.reason}.`,
      given.detail === undefined ? undefined : `${given.detail}`,
      given.excerpt === undefined ? undefined : `in ${given.excerpt}`,
      'A server lists the object as consistent, and every request that needs the text fails.',
    ]),
  /** unexpected keys when parsing TableMetadata: [%keys%] */
  tableKeysUnexpected: (given: Holes<'keys', 'nearest'>) =>
    message('table-keys-unexpected', 'error', [
      `unexpected keys when parsing TableMetadata: [${given.keys}]`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** no such table/view exists in source: %table% */
  tableNotInDatabase: (given: Holes<'table', 'nearest'>) =>
    message('table-not-in-database', 'error', [
      `no such table/view exists in source: ${given.table}`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** table %table% is not tracked */
  tableNotTracked: (given: Holes<'table', 'nearest' | 'advice'>) =>
    message('table-not-tracked', 'error', [
      `table ${given.table} is not tracked`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
      given.advice === undefined ? undefined : `${given.advice}`,
    ]),
  /** %place%: %problem% */
  transformInvalid: (given: Holes<'place' | 'problem'>) =>
    message('transform-invalid', 'error', [`${given.place}: ${given.problem}`]),
  /** the GraphQL type name "%type%" of %owner% is taken by %other% */
  typeNameConflict: (given: Holes<'type' | 'owner' | 'other'>) =>
    message('type-name-conflict', 'error', [
      `the GraphQL type name "${given.type}" of ${given.owner} is taken by ${given.other}`,
    ]),
  /** Unknown key "%key%" is ignored. */
  unknownKey: (given: Holes<'key', 'nearest'>) =>
    message('unknown-key', 'warning', [
      `Unknown key "${given.key}" is ignored.`,
      given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`,
    ]),
  /** The rule of role "%role%" for %operation% on table %table% needs the session variable %variable%, which no claim supplies. */
  variableNotSupplied: (given: Holes<'role' | 'operation' | 'table' | 'variable', 'nearest'>) =>
    message('variable-not-supplied', 'warning', [
      `The rule of role "${given.role}" for ${given.operation} on table ${given.table} needs the session variable ${given.variable}, which no claim supplies.`,
      given.nearest === undefined ? undefined : `Did you mean ${given.nearest}?`,
      "Correct the name, or add it to session_variables of the lint's configuration.",
    ]),
  /** Role "%role%" reads the view %view%, whose query calls %functions%. */
  viewOverFunction: (given: Holes<'role' | 'view' | 'functions'>) =>
    message('view-over-function', 'warning', [
      `Role "${given.role}" reads the view ${given.view}, whose query calls ${given.functions}.`,
      'PostgreSQL does not record what a function reads: the view may show anything.',
      'Read the functions, and allow the finding if they show what the role may see.',
    ]),
  /** Role "%role%" reads table %table% with a row rule that uses session variables, but the view %view%, which shows columns of that table, without one. */
  viewWithoutRowRule: (given: Holes<'role' | 'table' | 'view'>) =>
    message('view-without-row-rule', 'warning', [
      `Role "${given.role}" reads table ${given.table} with a row rule that uses session variables, but the view ${given.view}, which shows columns of that table, without one.`,
      'Every caller sees all rows of the view, including those of other users.',
      'Give the permission on the view a row rule of its own.',
    ]),
  /** The address of %what% is written in the metadata: %host%. */
  webhookIsLiteral: (given: Holes<'what' | 'host'>) =>
    message('webhook-is-literal', 'warning', [
      `The address of ${given.what} is written in the metadata: ${given.host}.`,
      'Another environment calls the same host with its data. Put the address into an environment variable, and name that.',
    ]),
  /** Role "%role%" may not read table %table%, but reads %computed% of the view %view%, whose query looks at every column of it. */
  wholeRowComputedByView: (given: Holes<'role' | 'table' | 'computed' | 'view'>) =>
    message('whole-row-computed-by-view', 'warning', [
      `Role "${given.role}" may not read table ${given.table}, but reads ${given.computed} of the view ${given.view}, whose query looks at every column of it.`,
      'Rows as a whole, such as to_jsonb(row) or json_agg(row), show columns that are added later, too.',
      'Name the columns in the query of the view, or allow the finding.',
    ]),
  /** Only table columns can have %operation% permissions defined, "%name%" is not a column */
  writePermissionColumnIsRelationship: (given: Holes<'operation' | 'name'>) =>
    message('write-permission-column-is-relationship', 'error', [
      `Only table columns can have ${given.operation} permissions defined, "${given.name}" is not a column`,
    ]),
  /** Role "%role%" may %operation% rows of table %table% that it may not read: its rule for %operation% has no session variable, its rule for select has one. */
  writeWiderThanRead: (given: Holes<'role' | 'operation' | 'table'>) =>
    message('write-wider-than-read', 'warning', [
      `Role "${given.role}" may ${given.operation} rows of table ${given.table} that it may not read: its rule for ${given.operation} has no session variable, its rule for select has one.`,
      '`returning` shows the rows that a mutation wrote.',
      'Use the row rule of the select permission for this operation as well.',
    ]),
} as const;

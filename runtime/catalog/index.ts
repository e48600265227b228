/** Phase 2: databases to plain catalogs; a saved catalog can stand in. */
export { CatalogFileError, printCatalogFile, readCatalogFile, writeCatalogFile } from './catalog-file.ts';
export { readEnumTableRows } from './enum-tables.ts';
export { introspectDatabase, type Query } from './introspect.ts';
export { readDatabase } from './read-database.ts';

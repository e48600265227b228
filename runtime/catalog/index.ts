/** Catalogs: read from a database, or from a file saved earlier. */
export { CatalogFileError, printCatalogFile, readCatalogFile, writeCatalogFile } from './catalog-file.ts';
export { readEnumTableRows } from './enum-tables.ts';
export { introspectDatabase, type RunQuery } from './introspect.ts';

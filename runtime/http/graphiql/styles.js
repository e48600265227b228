/** What graphiql/style.css has, without Roboto, which is not shown here, and without a second copy of the editor's styles. */
import '@graphiql/react/style.css';
import '@graphiql/react/font/fira-code.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';

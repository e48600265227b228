/**
 * GraphiQL within the console, in a frame of its own, because its editor needs a laxer content security policy. The frame knows no
 * secret and opens no connection: the console, which holds both, runs the operations. See runtime/console/page/query.tsx.
 */
import './setup.js';
import { explorerPlugin } from '@graphiql/plugin-explorer';
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import './styles.js';
import '@graphiql/plugin-explorer/style.css';
import { operationOf } from './operation.js';
import './page.css';
import './frame.css';

const plugins = [HISTORY_PLUGIN, explorerPlugin({ showAttribution: false })];

/** Called by the console once the frame has loaded. `operation` is one to begin with, beside those in the storage. */
globalThis.startQuery = ({ run, storage, defaultQuery, operation, ready }) => {
  const fetcher = ({ query, variables, operationName: shown }) => {
    const { kind = 'query', operationName } = operationOf(query, shown);
    return run({ query, variables, operationName }, kind);
  };
  createRoot(document.getElementById('page')).render(
    <GraphiQL
      fetcher={fetcher}
      storage={storage}
      defaultQuery={defaultQuery}
      initialQuery={operation?.query}
      initialVariables={operation?.variables}
      plugins={plugins}
      isHeadersEditorEnabled={false}
      showPersistHeadersSettings={false}
    >
      <GraphiQL.Logo>
        <Editor ready={ready} />
      </GraphiQL.Logo>
    </GraphiQL>,
  );
};

/** Shows nothing; gives the console access to the editor. */
function Editor({ ready }) {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const operationName = useGraphiQL((state) => state.operationName);
  const { introspect } = useGraphiQLActions();
  useEffect(() => {
    if (queryEditor && variableEditor)
      ready({
        /** The request as it is in the editors. */
        read: () => {
          const query = queryEditor.getValue();
          const variables = variableEditor.getValue();
          return { query, variables, operationName: operationOf(query, operationName).operationName };
        },
        introspect,
      });
  }, [queryEditor, variableEditor, operationName, introspect, ready]);
  return null;
}

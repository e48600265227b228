import { testGrowth } from './growth.ts';
import { testIntrospection } from './introspection.ts';

testIntrospection([13, 15]);
testGrowth([13, 15]);

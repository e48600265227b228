import { testIntrospection } from './introspection.ts';

testIntrospection([13, 15]);

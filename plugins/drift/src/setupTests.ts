import '@testing-library/jest-dom';
import { configure } from '@testing-library/react';

// Generous, so that a busy machine slows the tests and does not fail them.
configure({ asyncUtilTimeout: 15_000 });
jest.setTimeout(60_000);

// The app starts with all of its plugins and gets as far as its first page.
import { render, screen } from '@testing-library/react';
import App from './App';

describe('App', () => {
  const environment = process.env;

  afterEach(() => {
    process.env = environment;
  });

  it('asks the backend to sign the guest in', async () => {
    process.env = {
      NODE_ENV: 'test',
      APP_CONFIG: [
        {
          context: 'test',
          data: {
            app: { title: 'Test', baseUrl: 'http://localhost:3000' },
            backend: { baseUrl: 'http://localhost:7007' },
          },
        },
      ],
    } as unknown as NodeJS.ProcessEnv;

    render(App.createRoot());

    // The tests run without a network, so that the request for the guest's session fails; the page says so.
    expect(await screen.findByText(/sign in/i)).toBeInTheDocument();
  });
});

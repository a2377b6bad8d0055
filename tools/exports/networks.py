# SPDX-License-Identifier: Apache-2.0
"""Small networks of torch.nn whose exports torchvision's models do not cover."""
import torch
from torch import nn


class LstmClassifier(nn.Module):
    """Two bidirectional LSTM layers over (batch, 20, 32), and a linear layer on the last step."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(32, 64, num_layers=2, batch_first=True, bidirectional=True)
        self.classify = nn.Linear(128, 10)

    def forward(self, x):
        steps, _ = self.lstm(x)
        return self.classify(steps[:, -1])


class GruClassifier(nn.Module):
    """One GRU layer over (batch, 20, 32), and a linear layer on the last step."""

    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(32, 64, batch_first=True)
        self.classify = nn.Linear(64, 10)

    def forward(self, x):
        steps, _ = self.gru(x)
        return self.classify(steps[:, -1])


class TiedLanguageModel(nn.Module):
    """Tokens of (batch, 16), one GRU layer; the embedding is the output layer's weight too."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1000, 64)
        self.gru = nn.GRU(64, 64, batch_first=True)
        self.output = nn.Linear(64, 1000, bias=False)
        self.output.weight = self.embed.weight

    def forward(self, tokens):
        steps, _ = self.gru(self.embed(tokens))
        return self.output(steps)


class MixedPrecision(nn.Module):
    """Convolutions in half precision, the classifier in single precision."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(),
                                  nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU()).half()
        self.classify = nn.Linear(32, 10)

    def forward(self, x):
        return self.classify(self.body(x.half()).float().mean(dim=(2, 3)))


class GreedyDecoder(nn.Module):
    """A GRU cell that runs `steps` times and starts anew where its state explodes: a loop and a
    branch that stay in the graph when the module is scripted."""

    def __init__(self):
        super().__init__()
        self.grow = nn.Linear(32, 32)
        self.mix = nn.Linear(32, 32)

    def forward(self, state: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        for _ in range(int(steps)):
            state = torch.tanh(self.grow(state))
            if bool(state.sum() > 10.0):
                state = self.mix(state)
        return state


def transformer_encoder():
    """Two layers over (batch, 24, 64), four heads, feed-forward width 128."""
    layer = nn.TransformerEncoderLayer(64, 4, dim_feedforward=128, batch_first=True)
    return nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
